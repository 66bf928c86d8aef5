import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { Secret } from "@kyma-operators/errors";
import { FakeClock } from "../../testing/index.ts";
import { renewedToken } from "./renewed-token.ts";

function setUp() {
  const clock = new FakeClock();
  const reads: PromiseWithResolvers<Secret | undefined>[] = [];
  const read = (): Promise<Secret | undefined> => {
    const next = Promise.withResolvers<Secret | undefined>();
    reads.push(next);
    return next.promise;
  };
  const token = renewedToken(new Secret("first"), read, clock);
  return { clock, reads, ask: async () => (await token())?.reveal() };
}

describe("renewedToken", () => {
  test("reads once for all who ask at a time", async () => {
    const { clock, reads, ask } = setUp();
    equal(await ask(), "first");
    await clock.advance(60_001);
    const answers = Promise.all([ask(), ask(), ask()]);
    reads[0]?.resolve(new Secret("second"));
    deepEqual(await answers, ["second", "second", "second"]);
    equal(await ask(), "second");
    equal(reads.length, 1);
  });

  test("a read that fails does so for all who wait, and the next one reads again", async () => {
    const { clock, reads, ask } = setUp();
    await clock.advance(60_001);
    const refused = [rejects(ask(), /no login/), rejects(ask(), /no login/)];
    reads[0]?.reject(new Error("no login"));
    await Promise.all(refused);
    const again = ask();
    reads[1]?.resolve(new Secret("second"));
    equal(await again, "second");
    equal(reads.length, 2);
  });

  test("a read that never ends is given up after half a minute, and not sooner", async () => {
    const { clock, reads, ask } = setUp();
    await clock.advance(60_001);
    void ask();
    await clock.advance(30_000);
    void ask();
    equal(reads.length, 1);
    await clock.advance(1);
    const third = ask();
    equal(reads.length, 2);
    reads[1]?.resolve(new Secret("second"));
    equal(await third, "second");
    equal(await ask(), "second");
  });
});
