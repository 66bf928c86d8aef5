import { deepEqual } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { seedRegions } from "./seeds.ts";

const isTrue = (type: string): object => ({ type, status: "True" });

function seed(region: string, edit: { spec?: object; status?: object; deleted?: boolean } = {}): AnyObject {
  return {
    apiVersion: "core.gardener.cloud/v1beta1",
    kind: "Seed",
    metadata: { name: region, ...(edit.deleted ? { deletionTimestamp: "2026-01-05T10:00:00Z" } : {}) },
    spec: { provider: { type: "aws", region }, backup: {}, settings: { scheduling: { visible: true } }, ...edit.spec },
    status: { conditions: [isTrue("GardenletReady"), isTrue("BackupBucketsReady")], lastOperation: {}, ...edit.status },
  };
}

describe("usable seeds", () => {
  const cases: readonly (readonly [string, AnyObject, readonly string[]])[] = [
    ["a ready one counts", seed("r"), ["r"]],
    ["another provider's does not", seed("r", { spec: { provider: { type: "gcp", region: "r" } } }), []],
    ["one that goes does not", seed("r", { deleted: true }), []],
    ["one that is not visible does not", seed("r", { spec: { settings: { scheduling: { visible: false } } } }), []],
    ["one that was never reconciled does not", seed("r", { status: { lastOperation: undefined } }), []],
    [
      "one whose gardenlet is not ready does not",
      seed("r", { status: { conditions: [isTrue("BackupBucketsReady")] } }),
      [],
    ],
    ["one whose backup is not ready does not", seed("r", { status: { conditions: [isTrue("GardenletReady")] } }), []],
    [
      "one without a backup needs none",
      seed("r", { spec: { backup: undefined }, status: { conditions: [isTrue("GardenletReady")] } }),
      ["r"],
    ],
  ];
  for (const [name, object, regions] of cases) {
    test(name, () => {
      deepEqual(seedRegions([object], "aws"), regions);
    });
  }

  test("regions are sorted and listed once", () => {
    deepEqual(seedRegions([seed("b"), seed("a"), seed("b")], "aws"), ["a", "b"]);
  });
});
