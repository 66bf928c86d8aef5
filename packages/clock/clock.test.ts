import { equal, ok, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { systemClock } from "./index.ts";

describe("the clock of the machine", () => {
  test("sleeps at least as long as asked", async () => {
    const start = systemClock.now();
    await systemClock.sleep(20);
    ok(systemClock.now() - start >= 19);
  });

  test("gives up a sleep with the reason of the signal", async () => {
    const reason = new Error("enough");
    await rejects(systemClock.sleep(60_000, AbortSignal.abort(reason)), /enough/);
    const late = new AbortController();
    const sleeping = systemClock.sleep(60_000, late.signal);
    late.abort(reason);
    await rejects(sleeping, /enough/);
  });

  test("calls back once, unless it is cancelled", async () => {
    let calls = 0;
    systemClock.after(1, () => void calls++);
    const cancel = systemClock.after(1, () => void (calls += 10));
    cancel();
    await systemClock.sleep(30);
    equal(calls, 1);
  });
});
