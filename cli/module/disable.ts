import { Command, Option } from "commander";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { withCluster } from "../cluster.ts";
import type { Io } from "../io.ts";
import { timeoutOption } from "../timeout.ts";
import { changeModules } from "./change.ts";
import { withoutModule } from "./edit.ts";
import { type KymaFlags, nameOf, withKymaFlags } from "./kyma-access.ts";
import type { Progress } from "./progress.ts";
import { untilDone, type WaitFlags } from "./wait.ts";

/** `kyma module disable MODULE [--wait]` */
export function command(io: Io): Command {
  return withKymaFlags(new Command())
    .description("Disable a module; what it installed is removed.")
    .argument("<module>", "name of the module")
    .addOption(new Option("-w, --wait", "wait until the module is gone"))
    .addOption(timeoutOption(300_000, "5m"))
    .action(async (module: string, flags: KymaFlags & WaitFlags & { readonly wait?: boolean }) =>
      withCluster(io, flags, async (client) => {
        const { kyma } = await changeModules(io, client, flags, (current) => withoutModule(current, module));
        io.stdout.write(`module ${module} disabled in ${nameOf(kyma)}\n`);
        if (flags.wait)
          await untilDone({ io, client, kyma, timeoutMs: flags.timeout }, (now) => goneProgress(now, module));
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
