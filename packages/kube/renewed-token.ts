import type { Clock } from "@kyma-operators/clock";
import type { Secret } from "@kyma-operators/errors";

/** The kubelet replaces a token at 80 % of its life, at the earliest after minutes, and login programs cache theirs. */
const tokenAgeMs = 60_000;

/** A login program that runs longer may never end: whoever asks then starts another one. */
const patienceMs = 30_000;

/**
 * A token that is read again when it is a minute old, whichever way the clock is set. Whoever asks meanwhile waits for
 * that same read. A failed read throws.
 */
export function renewedToken(
  first: Secret | undefined,
  read: () => Promise<Secret | undefined>,
  clock: Clock,
): () => Promise<Secret | undefined> {
  const isOlder = (since: number, ageMs: number): boolean => Math.abs(clock.now() - since) > ageMs;
  let known = { token: first, since: clock.now() };
  let reading: { readonly token: Promise<Secret | undefined>; readonly since: number } | undefined;
  const readAgain = async (): Promise<Secret | undefined> => {
    const token = await read();
    known = { token, since: clock.now() };
    return token;
  };
  return async () => {
    if (!isOlder(known.since, tokenAgeMs)) return known.token;
    if (reading !== undefined && !isOlder(reading.since, patienceMs)) return reading.token;
    const current = { token: readAgain(), since: clock.now() };
    reading = current;
    try {
      return await current.token;
    } finally {
      if (reading === current) reading = undefined;
    }
  };
}
