import type { Client } from "@kyma-operators/kube";
import { ExitCode, exitCodes } from "./command.ts";
import type { Io } from "./io.ts";

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

/**
 * Runs what Ctrl-C may interrupt while the cluster goes on. Ends with 130 then, and says how to come back.
 *
 * @param next - for example `watch it with "kyma deploy --attach"`.
 */
export async function interruptible<T>(io: Io, next: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (!io.signal.aborted) throw error;
    throw new ExitCode(exitCodes.interrupted, `interrupted; the cluster goes on: ${next}`);
  }
}
