import { Command, Option } from "commander";
import type { CustomResourcePolicy } from "../../apis/operator/kyma.ts";
import { withCluster } from "../cluster.ts";
import type { CommandFactory } from "../command.ts";
import type { Io } from "../io.ts";
import { type OutputFormat, outputOption } from "../output.ts";
import { timeoutOption } from "../timeout.ts";
import { changeModules } from "./change.ts";
import { enabledModule, type Wanted, withModule } from "./edit.ts";
import { type KymaFlags, withKymaFlags } from "./kyma-access.ts";
import { tell } from "./tell.ts";
import { untilInstalled, type WaitFlags } from "./wait.ts";

interface Flags extends KymaFlags, WaitFlags {
  readonly policy?: CustomResourcePolicy;
  readonly output: OutputFormat;
}

/** `kyma module manage MODULE [--policy P]`: take a module under management again, and wait for it. */
export const manage: CommandFactory = (io) =>
  base(io, "Manage a module again and wait until it is Ready.", { managed: true, goal: "installed" }).addOption(
    new Option("--policy <policy>", "who handles the default resource")
      .choices(["CreateAndDelete", "Ignore"])
      .default("CreateAndDelete"),
  );

/** `kyma module unmanage MODULE`: leave everything of a module on the cluster alone. */
export const unmanage: CommandFactory = (io) =>
  base(io, "Leave a module on the cluster alone: it stays as it is.", { managed: false, goal: "unmanaged" });

interface Management {
  readonly managed: boolean;
  readonly goal: "installed" | "unmanaged";
}

function base(io: Io, description: string, { managed, goal }: Management): Command {
  return withKymaFlags(new Command())
    .description(description)
    .argument("<module>", "name of the module")
    .addOption(timeoutOption(300_000, "5m"))
    .addOption(outputOption())
    .action(async (name: string, flags: Flags) =>
      withCluster(io, flags, async (client) => {
        const { kyma, changed } = await changeModules(io, client, flags, (current) => {
          const { channel } = enabledModule(current, name);
          const policy = managed ? (flags.policy ?? "CreateAndDelete") : "Ignore";
          const wanted: Wanted = { name, managed, policy, ...(channel === undefined ? {} : { channel }) };
          return withModule(current, wanted);
        });
        const done = { module: name, kyma, changed, verb: managed ? "managed" : "unmanaged" };
        await tell(io, flags.output, done, () =>
          untilInstalled({ io, client, kyma, timeoutMs: flags.timeout }, name, goal),
        );
      }),
    );
}
