import { deepEqual, ok, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { historyProblems, recordHistories } from "../../testing/index.ts";

describe("a durable server that is killed", () => {
  for (const seed of [1, 2]) {
    test(`has one order of requests, keeps what it answered, and shows it to watches (seed ${seed})`, async () => {
      const histories = await recordHistories({ histories: 20, seed, killAfterLines: [1_000, 800] });
      deepEqual(histories.flatMap(historyProblems), []);
      for (const life of [0, 1]) ok(histories.some((lives) => (lives[life]?.operations.length ?? 0) > 0));
      const operations = histories.flat().flatMap((life) => life.operations);
      ok(operations.some(({ answered }) => answered === undefined));
      ok(operations.filter(({ status }) => status === 409).length > 0);
    }, 60_000);
  }

  test("is not one that ends by itself, with nothing to tell", async () => {
    await rejects(
      recordHistories({ histories: 0, seed: 1, killAfterLines: [10] }),
      /^Error: the writer ended by itself \(exit code 0\), not by the kill$/,
    );
  }, 60_000);
});
