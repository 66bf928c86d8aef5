import { equal, ok } from "node:assert/strict";
import { test } from "@jest/globals";
import { FakeClock } from "../../testing/index.ts";
import { Breaker } from "./breaker.ts";

test("a clock that is set back does not keep a breaker open", async () => {
  const clock = new FakeClock();
  const breaker = new Breaker({ clock, random: () => 0.5, failures: 1, firstMs: 10_000, maxMs: 60_000 });
  breaker.failed();
  equal(breaker.admit(), 10_000);
  clock.jump(-3_600_000);
  ok(breaker.admit() <= 10_000);
  await clock.advance(10_000);
  equal(breaker.admit(), 0);
});
