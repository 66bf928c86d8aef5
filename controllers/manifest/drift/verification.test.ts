import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { Verification } from "./verification.ts";

const hour = 3_600_000;
const manifest = (kyma: string): Manifest => ({
  apiVersion: "operator.kyma-project.io/v1beta2",
  kind: "Manifest",
  metadata: { name: `${kyma}-alpha`, labels: { "operator.kyma-project.io/kyma-name": kyma } },
  spec: { remote: false, install: { name: "raw-manifest", source: {} } },
});

describe("Verification", () => {
  test("spreads the checks of a fleet over the interval, those of one Kyma together", () => {
    const verification = new Verification(hour, 0);
    const delays = Array.from({ length: 100 }, (_, index) => verification.delayMs("x", manifest(`k${index}`), 0));

    equal(verification.delayMs("a", manifest("k1"), 0), verification.delayMs("b", manifest("k1"), 0));
    ok(Math.max(...delays) <= hour);
    const quarters = Map.groupBy(delays, (delay) => Math.floor((delay * 4) / hour));
    ok(
      [...quarters.values()].every((group) => group.length > 10),
      "no quarter of an hour is left out",
    );
  });

  test("a check is due once per interval", () => {
    const verification = new Verification(hour, 0);
    const due = verification.delayMs("k", manifest("one"), 0);

    equal(verification.isDue("k", manifest("one"), due - 1), false);
    equal(verification.isDue("k", manifest("one"), due), true);
    verification.done("k", due, undefined);
    equal(verification.delayMs("k", manifest("one"), due), hour);
  });

  test("a request makes it due at once, and one that comes during the check is not lost", () => {
    const verification = new Verification(hour, 0);
    verification.request("k", 5);
    const answered = verification.pending("k");
    equal(verification.isDue("k", manifest("one"), 5), true);
    verification.request("k", 5);
    verification.done("k", 6, answered);
    equal(verification.isDue("k", manifest("one"), 1_006), true);
    verification.done("k", 1_007, verification.pending("k"));
    equal(verification.isDue("k", manifest("one"), 9_999), false);
  });

  test("a flood of requests is answered at most once a second", () => {
    const verification = new Verification(hour, 0);
    verification.done("k", 5, undefined);
    verification.request("k", 6);
    equal(verification.isDue("k", manifest("one"), 1_004), false);
    equal(verification.delayMs("k", manifest("one"), 505), 500);
    equal(verification.isDue("k", manifest("one"), 1_005), true);
  });

  test("repairs that do not help are made less and less often, until it is calm", () => {
    const verification = new Verification(hour, 0);
    const due = (nowMs: number): boolean => {
      verification.request("k", nowMs);
      return verification.isDue("k", manifest("one"), nowMs);
    };
    const repairs = [0, 1, 2].map((nowMs) => verification.repaired("k", nowMs));

    deepEqual(repairs, [1, 2, 3]);
    deepEqual([due(3), due(60_001), due(60_002)], [false, false, true]);
    verification.repaired("k", 60_002);
    deepEqual([due(120_003), due(180_002)], [false, true]);
    verification.calm("k", 180_002, verification.pending("k"));
    equal(due(181_002), true);
  });
});
