import type { Client } from "@kyma-operators/kube";
import { Command } from "commander";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { State } from "../../apis/operator/state.ts";
import { withCluster } from "../cluster.ts";
import type { Io } from "../io.ts";
import { type OutputFormat, outputOption, printAs } from "../output.ts";
import { interruptible, pollUntil } from "../poll.ts";
import { timeoutOption } from "../timeout.ts";
import { enabledModule } from "./edit.ts";
import { findKyma, type KymaFlags, nameOf, refOf, withKymaFlags } from "./kyma-access.ts";
import { type Goal, kymaProgress, moduleProgress, type Progress } from "./progress.ts";
import { readReleases } from "./releases.ts";
import { endIn } from "./tell.ts";

export interface WaitFlags {
  readonly timeout: number;
}

/** `kyma module wait`: how the wait ended; the keys are a contract of `-o json`. */
interface Waited {
  /** `NAMESPACE/NAME` */
  readonly kyma: string;
  readonly state: State;
}

/** `kyma module wait [MODULE]`: until the module, or the whole Kyma, is Ready. */
export function command(io: Io): Command {
  return withKymaFlags(new Command())
    .description("Wait until a module, or the whole Kyma, is Ready in the version that is released.")
    .argument("[module]", "module to wait for; default all")
    .addOption(timeoutOption(300_000, "5m"))
    .addOption(outputOption())
    .action(async (module: string | undefined, flags: KymaFlags & WaitFlags & { readonly output: OutputFormat }) =>
      withCluster(io, flags, async (client) => {
        const kyma = await findKyma(client, flags, io.signal);
        if (module !== undefined) enabledModule(kyma, module);
        const state = await untilInstalled({ io, client, kyma, timeoutMs: flags.timeout }, module);
        const waited: Waited = { kyma: nameOf(kyma), state };
        printAs(io, flags.output, waited, () => `${state}\n`);
        endIn(state);
      }),
    );
}

export interface Wait {
  readonly io: Io;
  readonly client: Client;
  readonly kyma: Kyma;
  readonly timeoutMs: number;
}

/** Waits for a module, or for all; with `unmanaged` until it is left alone. */
export async function untilInstalled(wait: Wait, module?: string, end: Goal["end"] = "installed"): Promise<State> {
  const { io, client, kyma } = wait;
  const releases = await readReleases(client, kyma.metadata.namespace ?? "", io.signal);
  return untilDone(wait, (now) =>
    module === undefined ? kymaProgress(now, releases) : moduleProgress(now, module, { end, releases }),
  );
}

/** Looks at the Kyma until `judge` is satisfied, printing each new reason once. Ends with code 3 when the time is up. */
export async function untilDone(
  { io, client, kyma, timeoutMs }: Wait,
  judge: (kyma: Kyma) => Progress,
): Promise<State> {
  const world = { io, client, deadline: io.clock.now() + timeoutMs };
  let state: State = "";
  const look = async (): Promise<string | undefined> => {
    const progress = judge(await client.get<Kyma>(refOf(kyma), { signal: io.signal }));
    if (progress.kind === "waiting") return progress.reason;
    state = progress.state;
    if (progress.reason !== undefined) io.stderr.write(`${progress.reason}\n`);
    return undefined;
  };
  await interruptible(io, `watch it with "${io.program} module wait"`, () =>
    pollUntil(world, look, (reason) => io.stderr.write(`${reason}\n`)),
  );
  return state;
}
