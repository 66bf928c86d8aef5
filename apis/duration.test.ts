import { equal } from "node:assert/strict";
import { test } from "@jest/globals";
import { parseDurationMs } from "./duration.ts";

test("durations add up their parts", () => {
  equal(parseDurationMs("1h30m"), 5_400_000);
  equal(parseDurationMs("1.5s"), 1_500);
  equal(parseDurationMs("60d"), 60 * 86_400_000);
  equal(parseDurationMs("-1s"), undefined);
});
