import type { Clock } from "@kyma-operators/clock";
import type { Secret } from "@kyma-operators/errors";

/** The kubelet replaces a token at 80 % of its life, at the earliest after minutes, and login programs cache theirs. */
const tokenAgeMs = 60_000;

/** A token that is read again when it is a minute old, whichever way the clock is set. A failed read throws. */
export function renewedToken(
  first: Secret | undefined,
  read: () => Promise<Secret | undefined>,
  clock: Clock,
): () => Promise<Secret | undefined> {
  let known = { token: first, since: clock.now() };
  return async () => {
    if (Math.abs(clock.now() - known.since) > tokenAgeMs) known = { token: await read(), since: clock.now() };
    return known.token;
  };
}
