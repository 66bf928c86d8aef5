import { Command, Option } from "commander";
import { callControl } from "../../local/control.ts";
import { localErrors } from "../../local/errors.ts";
import { firstBlocker } from "../../local/progress.ts";
import { WorldFolder } from "../../local/state-files.ts";
import type { WorldStatus } from "../../local/world.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import { formatAge, formatTable } from "../table.ts";
import { dataDirOf, dataDirOption } from "./data-dir.ts";
import { addressLines } from "./summary.ts";

/** `kyma local status [-o text|json]`: exit code 0 when everything is Ready, 2 when something is not. */
export function command(io: Io): Command {
  return new Command()
    .description("Show what runs and how far it is.")
    .addOption(dataDirOption())
    .addOption(new Option("-o, --output <format>", "output format").choices(["text", "json"]).default("text"))
    .action(async ({ dataDir, output }: { dataDir: string; output: "text" | "json" }) => {
      const folder = new WorldFolder(dataDirOf(io, dataDir));
      const state = await folder.state();
      const status = state && ((await callControl(state, "GET", "/status")) as WorldStatus | undefined);
      if (status === undefined) throw localErrors.NOT_RUNNING({ folder: folder.path });
      io.stdout.write(output === "json" ? `${JSON.stringify(status, undefined, 2)}\n` : asText(status));
      if (firstBlocker(status.rows) !== undefined) throw new ExitCode(exitCodes.warning);
    });
}

function asText(status: WorldStatus): string {
  const rows = status.rows.map((row) => [row.kind, row.name, row.state, formatAge(row.ageSeconds), row.blocker]);
  return `${formatTable(["KIND", "NAME", "STATE", "AGE", "WAITING FOR"], rows)}\n${addressLines(status.addresses)}`;
}
