import { Command, Option } from "commander";
import type { CustomResourcePolicy } from "../../apis/operator/kyma.ts";
import { withCluster } from "../cluster.ts";
import type { Io } from "../io.ts";
import { type OutputFormat, outputOption } from "../output.ts";
import { timeoutOption } from "../timeout.ts";
import { changeModules } from "./change.ts";
import { checkAvailable, type Wanted, withModule } from "./edit.ts";
import { type KymaFlags, withKymaFlags } from "./kyma-access.ts";
import { readReleases } from "./releases.ts";
import { tell } from "./tell.ts";
import { untilInstalled, type WaitFlags } from "./wait.ts";

interface Flags extends KymaFlags, WaitFlags {
  readonly channel?: string;
  readonly policy?: CustomResourcePolicy;
  readonly wait?: boolean;
  readonly output: OutputFormat;
}

/** `kyma module enable MODULE [--channel C] [--policy P] [--wait]` */
export function command(io: Io): Command {
  return withKymaFlags(new Command())
    .description("Enable a module, or change its channel or policy.")
    .argument("<module>", "name of the module")
    .addOption(new Option("-c, --channel <channel>", "channel of the module; default that of the Kyma"))
    .addOption(
      new Option("-p, --policy <policy>", "who handles the default resource").choices(["CreateAndDelete", "Ignore"]),
    )
    .addOption(new Option("-w, --wait", "wait until the module is Ready"))
    .addOption(timeoutOption(300_000, "5m"))
    .addOption(outputOption())
    .action(async (module: string, flags: Flags) => enable(io, module, flags));
}

async function enable(io: Io, name: string, flags: Flags): Promise<void> {
  const { channel, policy } = flags;
  const wanted: Wanted = {
    name,
    ...(channel === undefined ? {} : { channel }),
    ...(policy === undefined ? {} : { policy }),
  };
  await withCluster(io, flags, async (client) => {
    const { kyma, changed } = await changeModules(io, client, flags, async (current) => {
      checkAvailable(wanted, current, await readReleases(client, current.metadata.namespace ?? "", io.signal));
      return withModule(current, wanted);
    });
    const wait = () => untilInstalled({ io, client, kyma, timeoutMs: flags.timeout }, name);
    await tell(io, flags.output, { module: name, kyma, changed, verb: "enabled" }, flags.wait ? wait : undefined);
  });
}
