import { Command, Option } from "commander";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { withCluster } from "../cluster.ts";
import type { Io } from "../io.ts";
import { type OutputFormat, outputOption } from "../output.ts";
import { timeoutOption } from "../timeout.ts";
import { changeModules } from "./change.ts";
import { withoutModule } from "./edit.ts";
import { type KymaFlags, withKymaFlags } from "./kyma-access.ts";
import type { Progress } from "./progress.ts";
import { tell } from "./tell.ts";
import { untilDone, type WaitFlags } from "./wait.ts";

interface Flags extends KymaFlags, WaitFlags {
  readonly wait?: boolean;
  readonly output: OutputFormat;
}

/** `kyma module disable MODULE [--wait]` */
export function command(io: Io): Command {
  return withKymaFlags(new Command())
    .description("Disable a module; what it installed is removed.")
    .argument("<module>", "name of the module")
    .addOption(new Option("-w, --wait", "wait until the module is gone"))
    .addOption(timeoutOption(300_000, "5m"))
    .addOption(outputOption())
    .action(async (module: string, flags: Flags) =>
      withCluster(io, flags, async (client) => {
        const { kyma } = await changeModules(io, client, flags, (current) => withoutModule(current, module));
        const wait = () =>
          untilDone({ io, client, kyma, timeoutMs: flags.timeout }, (now) => goneProgress(now, module));
        await tell(io, flags.output, { module, kyma, changed: true, verb: "disabled" }, flags.wait ? wait : undefined);
      }),
    );
}

function goneProgress(kyma: Kyma, module: string): Progress {
  const status = kyma.status?.modules?.find(({ name }) => name === module);
  if (status === undefined) return { kind: "done", state: kyma.status?.state ?? "" };
  return {
    kind: "waiting",
    reason: `${module}: ${status.state || "new"}${status.message ? `, ${status.message}` : ""}`,
  };
}
