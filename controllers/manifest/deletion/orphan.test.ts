import { equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Kyma, ModuleStatus } from "../../../apis/operator/kyma.ts";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { orphanReason } from "./orphan.ts";

const prefix = "operator.kyma-project.io";
const createdMs = Date.parse("2026-01-05T08:00:00Z");

function manifestOf(labels: Readonly<Record<string, string>> = {}): Manifest {
  const own = { [`${prefix}/kyma-name`]: "one", [`${prefix}/module-name`]: "alpha", ...labels };
  const metadata = { name: "one-alpha", creationTimestamp: "2026-01-05T08:00:00Z", labels: own };
  return { metadata } as unknown as Manifest;
}

const kymaOf = (...modules: readonly ModuleStatus[]): Kyma => ({ status: { modules } }) as Kyma;
const reference = (name: string) => ({ manifest: { metadata: { name } } });
const unreferenced = "manifest is not referenced in Kyma status";

describe("a Manifest that is old enough (U049)", () => {
  const rows: readonly {
    readonly kyma: string;
    readonly status: Kyma | undefined;
    readonly labels?: Readonly<Record<string, string>>;
    readonly why: string | undefined;
  }[] = [
    { kyma: "that does not exist", status: undefined, why: "parent Kyma does not exist" },
    { kyma: "without a status", status: {} as Kyma, why: unreferenced },
    { kyma: "that names no module", status: kymaOf(), why: unreferenced },
    {
      kyma: "that names another Manifest",
      status: kymaOf({ name: "alpha", state: "Ready", ...reference("one-alpha-2") }),
      why: unreferenced,
    },
    {
      kyma: "with an entry that names no Manifest and no reason",
      status: kymaOf({ name: "alpha", state: "Ready" }),
      why: unreferenced,
    },
    {
      kyma: "that cannot find the release of the module",
      status: kymaOf({ name: "alpha", state: "Error", message: "failed to get module template" }),
      why: undefined,
    },
    {
      kyma: "that cannot find the release of another module",
      status: kymaOf({ name: "bravo", state: "Error", message: "failed to get module template" }),
      why: unreferenced,
    },
    {
      kyma: "that names it",
      status: kymaOf({ name: "alpha", state: "Ready", ...reference("one-alpha") }),
      why: undefined,
    },
    {
      kyma: "that does not mention its mandatory module",
      status: kymaOf(),
      labels: { [`${prefix}/mandatory-module`]: "true" },
      why: undefined,
    },
  ];
  for (const { kyma, status, labels, why } of rows) {
    test(`of a Kyma ${kyma} is ${why === undefined ? "no orphan" : "an orphan"}`, () => {
      const nowMs = createdMs + 300_001;
      equal(orphanReason(manifestOf(labels), status, { nowMs, toleranceMs: 300_000 }), why);
    });
  }

  test("and a young one is none, as long as its Kyma exists", () => {
    const at = { nowMs: createdMs + 300_000, toleranceMs: 300_000 };
    equal(orphanReason(manifestOf(), kymaOf(), at), undefined);
    equal(orphanReason(manifestOf(), undefined, at), "parent Kyma does not exist");
  });
});
