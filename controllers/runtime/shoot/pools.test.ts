import { equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Shoot } from "@kyma-operators/gardener";
import { poolsNeedUpdate } from "./pools.ts";

const pool = {
  name: "main",
  minimum: 1,
  maximum: 3,
  zones: ["a"],
  machine: { type: "m", image: { name: "i", version: "1" } },
};
const filledIn = {
  ...pool,
  cri: { name: "containerd" },
  machine: { ...pool.machine, architecture: "amd64" },
  maxSurge: 1,
  maxUnavailable: 0,
  systemComponents: { allow: true },
  updateStrategy: "AutoRollingUpdate",
};
const shootOf = (...workers: readonly object[]): Shoot => ({ spec: { provider: { workers } } }) as unknown as Shoot;

describe("F26: pools need an update before the apply", () => {
  const cases: readonly (readonly [string, readonly object[], readonly object[], boolean])[] = [
    ["no: equal", [pool], [pool], false],
    ["no: both empty", [], [], false],
    ["no: only what Gardener filled in differs", [filledIn], [pool], false],
    ["no: what an apply can change", [filledIn], [{ ...pool, maximum: 9, zones: ["a", "b"] }], false],
    ["no: a pool is added", [filledIn], [pool, { ...pool, name: "more" }], false],
    ["yes: a pool goes", [filledIn, { ...filledIn, name: "more" }], [pool], true],
    ["yes: all pools go", [filledIn], [], true],
    ["yes: a pool has another name", [filledIn], [{ ...pool, name: "other" }], true],
    ["yes: a field goes that was set at creation", [{ ...filledIn, taints: [{ key: "k" }] }], [pool], true],
    [
      "yes: a nested field goes",
      [{ ...filledIn, volume: { size: "50Gi", type: "gp3" } }],
      [{ ...pool, volume: { size: "50Gi" } }],
      true,
    ],
    ["yes: a setting beside the default goes", [{ ...filledIn, maxSurge: 5 }], [pool], true],
  ];
  for (const [name, current, wanted, isNeeded] of cases) {
    test(name, () => {
      equal(poolsNeedUpdate(shootOf(...current), shootOf(...wanted)), isNeeded);
    });
  }
});
