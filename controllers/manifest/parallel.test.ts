import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { inParallel } from "./parallel.ts";

describe("inParallel", () => {
  test("keeps the order of results and the limit", async () => {
    let [running, most] = [0, 0];
    const results = await inParallel([3, 1, 2], 2, async (value) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return value * 2;
    });

    deepEqual(results, [6, 2, 4]);
    equal(most, 2);
  });

  test("a failure starts nothing more and is thrown when what runs has ended", async () => {
    const started: number[] = [];
    const run = inParallel([1, 2, 3], 1, async (value) => {
      started.push(value);
      if (value === 2) throw new Error("two");
    });

    await rejects(run, /two/);
    deepEqual(started, [1, 2]);
  });
});
