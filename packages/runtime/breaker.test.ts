import { deepEqual, equal, ok } from "node:assert/strict";
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

test("tells how long each pause is, whatever the clock shows", async () => {
  const clock = new FakeClock();
  const pauses: (number | undefined)[] = [];
  const onChange = (pauseMs: number | undefined): void => void pauses.push(pauseMs);
  const breaker = new Breaker({ clock, random: () => 0.5, failures: 1, firstMs: 10_000, maxMs: 60_000, onChange });
  clock.jump(-3_600_000);
  breaker.failed();
  await clock.advance(10_000);
  equal(breaker.admit(), 0);
  breaker.failed();
  breaker.succeeded();
  deepEqual(pauses, [10_000, 20_000, undefined]);
});
