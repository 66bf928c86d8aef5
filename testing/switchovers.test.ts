import { deepEqual, ok } from "node:assert/strict";
import { test } from "@jest/globals";
import { playSwitchovers } from "./switchovers.ts";

test("two managers on one lease never overlap a write, however the leadership changes", async () => {
  const { count, overlaps, writes, longestAfterLeave, longestAfterCut } = await playSwitchovers({ count: 60, seed: 1 });
  deepEqual(overlaps, []);
  ok(count >= 60 && writes > count);
  // With requests that take seconds, even a lease that is given back may not arrive.
  ok(longestAfterLeave <= 40_000, `${longestAfterLeave} ms after a leader left`);
  ok(longestAfterCut <= 40_000, `${longestAfterCut} ms after a leader was cut off`);
});
