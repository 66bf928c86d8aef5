import { deepEqual, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { historyProblems, recordHistories } from "../../testing/index.ts";

describe("a durable server that is killed", () => {
  for (const seed of [1, 2]) {
    test(`has one order of requests, keeps what it answered, and shows it to watches (seed ${seed})`, async () => {
      const histories = await recordHistories({ histories: 20, seed, killAfterLines: [1_000, 800] });
      deepEqual(histories.flatMap(historyProblems), []);
      const operations = histories.flat().flatMap((life) => life.operations);
      ok(operations.some(({ answered }) => answered === undefined));
      ok(operations.filter(({ status }) => status === 409).length > 0);
    }, 60_000);
  }
});
