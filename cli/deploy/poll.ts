import type { Client } from "@kyma-operators/kube";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";

/** A cluster to work on until a point in time. */
export interface World {
  readonly io: Io;
  readonly client: Client;
  /** Milliseconds since the epoch; one deadline for everything that is waited for. */
  readonly deadline: number;
}

const lookEveryMs = 500;
const heartbeatMs = 30_000;

/**
 * Looks until `look` has nothing more to wait for, telling each new reason once and again every 30 seconds. Ends with
 * the timeout code when the deadline has passed.
 */
export async function pollUntil(
  { io, deadline }: World,
  look: () => Promise<string | undefined>,
  say: (text: string) => void,
): Promise<void> {
  let said = { reason: "", atMs: 0 };
  for (;;) {
    io.signal.throwIfAborted();
    const reason = await look();
    if (reason === undefined) return;
    const now = io.clock.now();
    if (reason !== said.reason || now - said.atMs >= heartbeatMs) {
      say(reason);
      said = { reason, atMs: now };
    }
    if (now >= deadline) throw new ExitCode(exitCodes.timeout, `time is up: ${reason}`);
    await io.clock.sleep(lookEveryMs, io.signal);
  }
}
