import { equal, ok } from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { asyncProperty, assert as check } from "fast-check";
import { askStrangely, startServerForStrangers, strangeRequests } from "../testing/index.ts";
import type { ApiServer } from "./index.ts";

let server: ApiServer;
const faults: string[] = [];
beforeAll(async () => {
  server = await startServerForStrangers((where, error) => faults.push(`${where}: ${String(error)}`));
});
afterAll(() => server.stop());

describe("any request", () => {
  test("is answered without a fault of ours", async () => {
    await check(
      asyncProperty(strangeRequests, async (request) => {
        const { status, isFault } = await askStrangely(server, request);
        ok(status >= 200 && !isFault, `${status}`);
        equal(faults.join("\n"), "");
      }),
      { numRuns: 4_000, interruptAfterTimeLimit: 8_000, markInterruptAsFailure: false },
    );
  });
});
