import type { Manager } from "@kyma-operators/runtime";
import type { FakeClock } from "./fake-clock.ts";

/** Runs a manager; the answer ends it and lets time pass until it is over. */
export function runOnClock(manager: Pick<Manager, "run">, clock: FakeClock): () => Promise<void> {
  const ending = new AbortController();
  let over = false;
  void manager.run(ending.signal).finally(() => (over = true));
  return async () => {
    ending.abort(new Error("stop"));
    await clock.until(() => over);
  };
}
