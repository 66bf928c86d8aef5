import { Command } from "commander";
import { localErrors } from "../../local/errors.ts";
import { firstBlocker } from "../../local/progress.ts";
import { WorldFolder } from "../../local/state-files.ts";
import { askWorld, type WorldStatus } from "../../local/world-status.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import { type OutputFormat, outputOption, printAs } from "../output.ts";
import { formatAge, formatTable } from "../table.ts";
import { dataDirOf, dataDirOption } from "./data-dir.ts";
import { addressLines } from "./summary.ts";

/** `kyma local status [-o text|json|yaml]`: exit code 0 when everything is Ready, 2 when something is not. */
export function command(io: Io): Command {
  return new Command()
    .description("Show what runs and how far it is; ends with 2 until all of it is Ready.")
    .addOption(dataDirOption())
    .addOption(outputOption())
    .action(async ({ dataDir, output }: { dataDir: string; output: OutputFormat }) => {
      const folder = new WorldFolder(dataDirOf(io, dataDir));
      const status = await askWorld(folder);
      if (status === undefined) throw localErrors.NOT_RUNNING({ folder: folder.path });
      printAs(io, output, status, () => asText(status));
      if (firstBlocker(status.rows) !== undefined) throw new ExitCode(exitCodes.warning);
    });
}

const empty = "no Runtime and no Kyma is there yet: apply one to the control plane, or start with --demo\n";

function asText(status: WorldStatus): string {
  const rows = status.rows.map((row) => [row.kind, row.name, row.state, formatAge(row.ageSeconds), row.blocker]);
  const table = formatTable(["KIND", "NAME", "STATE", "AGE", "WAITING FOR"], rows);
  return `${rows.length === 0 ? empty : table}\n${addressLines(status.addresses)}`;
}
