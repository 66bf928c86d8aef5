import type { Client } from "@kyma-operators/kube";
import { Command } from "commander";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { withCluster } from "../cluster.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import { timeoutOption } from "../timeout.ts";
import { enabledModule } from "./edit.ts";
import { findKyma, type KymaFlags, nameOf, refOf, withKymaFlags } from "./kyma-access.ts";
import { kymaProgress, moduleProgress, type Progress } from "./progress.ts";

export interface WaitFlags {
  readonly timeout: number;
}

/** `kyma module wait [MODULE]`: until the module, or the whole Kyma, is Ready. */
export function command(io: Io): Command {
  return withKymaFlags(new Command())
    .description("Wait until a module, or the whole Kyma, is Ready.")
    .argument("[module]", "module to wait for; default all")
    .addOption(timeoutOption(300_000, "5m"))
    .action(async (module: string | undefined, flags: KymaFlags & WaitFlags) =>
      withCluster(io, flags, async (client) => {
        const kyma = await findKyma(client, flags, io.signal);
        if (module !== undefined) enabledModule(kyma, module);
        const judge = (now: Kyma): Progress => (module === undefined ? kymaProgress(now) : moduleProgress(now, module));
        await untilDone({ io, client, kyma, timeoutMs: flags.timeout }, judge);
      }),
    );
}

interface Wait {
  readonly io: Io;
  readonly client: Client;
  readonly kyma: Kyma;
  readonly timeoutMs: number;
}

const lookEveryMs = 500;

/**
 * Looks at the Kyma until `judge` is satisfied, printing each new reason once. Ends with exit code 2 for Warning and 3
 * when the time is up.
 */
export async function untilDone({ io, client, kyma, timeoutMs }: Wait, judge: (kyma: Kyma) => Progress): Promise<void> {
  const deadline = io.clock.now() + timeoutMs;
  let said = "";
  for (;;) {
    const progress = judge(await client.get<Kyma>(refOf(kyma), { signal: io.signal }));
    if (progress.kind === "done") {
      io.stdout.write(`${progress.state}\n`);
      if (progress.state === "Warning") throw new ExitCode(exitCodes.warning);
      return;
    }
    if (progress.reason !== said) io.stderr.write(`${progress.reason}\n`);
    said = progress.reason;
    if (io.clock.now() >= deadline) {
      throw new ExitCode(exitCodes.timeout, `${nameOf(kyma)} not ready after ${timeoutMs / 1000} s: ${said}`);
    }
    await io.clock.sleep(lookEveryMs, io.signal);
  }
}
