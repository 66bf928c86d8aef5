import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import * as fc from "fast-check";
import { FakeClock } from "../../testing/index.ts";
import { priority } from "./priorities.ts";
import { WorkQueue } from "./work-queue.ts";

const key = (name: string) => ({ namespace: "", name });
const never = new AbortController().signal;

function setUp(options = {}) {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock, random: () => 0.5, backoff: { firstMs: 100, maxMs: 10_000 }, ...options });
  const take = (): string | undefined => {
    if (queue.length === 0) return undefined;
    const next = queue.next(never);
    return next instanceof Promise ? undefined : next?.name;
  };
  return { clock, queue, take };
}

/** Takes and finishes everything that is queued now. */
function drain(queue: WorkQueue): string[] {
  const names: string[] = [];
  while (queue.length > 0) {
    const next = queue.next(never);
    if (next === undefined || next instanceof Promise) break;
    names.push(next.name);
    queue.done(next);
  }
  return names;
}

describe("order", () => {
  test("keys come once, in order of arrival", () => {
    const { queue } = setUp();
    for (const name of ["a", "b", "a", "c", "b"]) queue.add(key(name));
    deepEqual(drain(queue), ["a", "b", "c"]);
  });

  test("urgent keys go first, and a queued key moves up", () => {
    const { queue } = setUp();
    queue.add(key("resync"), priority.resync);
    queue.add(key("retry"), priority.retry);
    queue.add(key("generation"), priority.generation);
    queue.add(key("change"), priority.change);
    queue.add(key("resync"), priority.change);
    deepEqual(drain(queue), ["change", "resync", "generation", "retry"]);
  });

  test("a key of low priority does not starve under a flood of urgent ones", () => {
    const { queue } = setUp();
    queue.add(key("low"), priority.resync);
    const taken: string[] = [];
    for (let index = 0; index < 20 && !taken.includes("low"); index += 1) {
      queue.add(key(`urgent-${index}`), priority.change);
      queue.add(key(`urgent-${index}-b`), priority.change);
      const next = queue.next(never);
      ok(next !== undefined && !(next instanceof Promise));
      taken.push(next.name);
      queue.done(next);
    }
    ok(taken.includes("low"));
    ok(taken.length <= 8, `after ${taken.length} keys`);
  });
});

describe("keys in work", () => {
  test("are not handed out again until done, then once", () => {
    const { queue, take } = setUp();
    queue.add(key("a"));
    equal(take(), "a");
    queue.add(key("a"));
    queue.add(key("a"), priority.change);
    equal(take(), undefined);
    equal(queue.length, 0);
    queue.done(key("a"));
    equal(take(), "a");
    queue.done(key("a"));
    equal(take(), undefined);
  });

  test("a waiting worker gets the next key, an aborted one nothing", async () => {
    const { queue } = setUp();
    const stop = new AbortController();
    const aborted = queue.next(stop.signal);
    const waiting = queue.next(never);
    stop.abort();
    equal(await aborted, undefined);
    queue.add(key("a"));
    deepEqual(await waiting, key("a"));
    const last = queue.next(never);
    queue.close();
    equal(await last, undefined);
    queue.add(key("b"));
    equal(queue.length, 0);
  });
});

describe("delays", () => {
  test("the earliest wins, and an immediate add makes it void", async () => {
    const { queue, clock, take } = setUp();
    queue.addAfter(key("a"), 5000);
    queue.addAfter(key("a"), 1000);
    queue.addAfter(key("a"), 3000);
    equal(queue.delayed, 1);
    await clock.advance(999);
    equal(take(), undefined);
    await clock.advance(1);
    equal(take(), "a");
    queue.done(key("a"));
    await clock.advance(10_000);
    equal(take(), undefined);

    queue.addAfter(key("b"), 1000);
    queue.add(key("b"));
    equal(take(), "b");
    queue.done(key("b"));
    await clock.advance(10_000);
    equal(take(), undefined);
    equal(clock.pending, 0);
  });

  test("a clock that is set back makes no key wait for the old time", async () => {
    const { queue, clock, take } = setUp();
    queue.addAfter(key("a"), 600_000);
    queue.addAfter(key("b"), 700_000);
    clock.jump(-3_600_000);
    queue.addAfter(key("c"), 100_000);
    await clock.advance(100_000);
    equal(take(), "c");
    await clock.advance(500_000);
    equal(take(), "a");
    await clock.advance(100_000);
    equal(take(), "b");
  });

  test("failures back off exponentially to the longest delay, and are forgotten", () => {
    const { queue } = setUp();
    const delays = Array.from({ length: 9 }, () => queue.retry(key("a")));
    deepEqual(delays, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    equal(queue.failuresOf(key("a")), 9);
    queue.forget(key("a"));
    equal(queue.retry(key("a")), 100);
    equal(queue.retry(key("b"), 7000), 7000);
  });

  test("jitter spreads a delay by a fifth", () => {
    const low = setUp({ random: () => 0 }).queue.retry(key("a"));
    const high = setUp({ random: () => 0.999_999 }).queue.retry(key("a"));
    deepEqual([low, high], [80, 120]);
  });

  test("all keys together are bounded by the retry budget", () => {
    const { queue } = setUp({ retryBudget: { perSecond: 10, burst: 3 } });
    const delays = ["a", "b", "c", "d", "e"].map((name) => queue.retry(key(name)));
    deepEqual(delays, [100, 100, 100, 100, 200]);
    for (let index = 0; index < 50; index += 1) queue.retry(key(`more-${index}`));
    equal(queue.retry(key("last")), 5300);
  });

  test("leftovers of keys that were taken early do not pile up", () => {
    const { queue } = setUp();
    for (let index = 0; index < 10_000; index += 1) {
      queue.addAfter(key("a"), 3_600_000 + index);
      queue.add(key("a"));
      drain(queue);
    }
    equal(queue.delayed, 0);
    queue.addAfter(key("b"), 1000);
    equal(queue.delayed, 1);
  });
});

test("whatever is added is worked on, never twice at a time, and nothing is lost", async () => {
  const command = fc.record({
    kind: fc.constantFrom("add", "after", "retry", "take", "done", "time"),
    name: fc.constantFrom("a", "b", "c"),
    number: fc.nat(100),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
      const { clock, queue } = setUp();
      const working: string[] = [];
      const owed = new Set<string>();
      const take = (): void => {
        if (queue.length === 0) return;
        const next = queue.next(never);
        ok(next !== undefined && !(next instanceof Promise));
        equal(working.includes(next.name), false);
        working.push(next.name);
        owed.delete(next.name);
      };
      const finish = (): void => {
        const name = working.shift();
        if (name !== undefined) queue.done(key(name));
      };
      const run = {
        add: (name: string, number: number) => queue.add(key(name), number),
        after: (name: string, number: number) => queue.addAfter(key(name), number),
        retry: (name: string) => queue.retry(key(name)),
        take,
        done: finish,
        time: (_: string, number: number) => clock.advance(number),
      };
      for (const { kind, name, number } of commands) {
        await run[kind](name, number);
        if (kind === "add" || kind === "after" || kind === "retry") owed.add(name);
      }
      await clock.advance(60_000);
      while (working.length > 0 || queue.length > 0) {
        take();
        finish();
      }
      await clock.advance(60_000);
      while (queue.length > 0) {
        take();
        finish();
      }
      deepEqual([...owed], []);
      equal(clock.pending, 0);
    }),
    { numRuns: 150 },
  );
});
