import { deepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { type FieldError, type RawSchema, structuralFaults } from "../index.ts";

interface Recorded {
  readonly cases: readonly {
    readonly name: string;
    readonly schema: RawSchema;
    readonly causes: readonly FieldError[];
  }[];
}

const file = join(import.meta.dirname, "../testdata/structural.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as Recorded;

/** Kubernetes reports in the order of a Go map. */
function sorted(errors: readonly FieldError[]): readonly string[] {
  return errors.map(({ field, reason, message }) => `${field}|${reason}|${message}`).sort();
}

describe("a CRD's schema is refused as by the kube-apiserver", () => {
  for (const { name, schema, causes } of recorded.cases) {
    test(name, () => {
      deepEqual(sorted(structuralFaults(schema, "spec.validation.openAPIV3Schema")), sorted(causes));
    });
  }
});

describe("limits", () => {
  const list = (rule: string, more: object): RawSchema => ({
    type: "object",
    properties: { l: { type: "array", items: { type: "string", maxLength: 10 }, ...more } },
    "x-kubernetes-validations": [{ rule }],
  });
  const nested = "self.l.all(x, self.l.all(y, self.l.all(z, x == y || y == z)))";

  test("a rule that is too expensive for the largest object is refused until the list is bounded", () => {
    deepEqual(structuralFaults(list(nested, { maxItems: 20 }), "schema"), []);
    deepEqual(
      structuralFaults(list(nested, {}), "schema").map(({ field }) => field),
      ["schema.x-kubernetes-validations[0].rule", "schema.x-kubernetes-validations[0].rule", "schema"],
    );
  });

  test("an expression that nests without end is refused, not run into the ground", () => {
    const [fault] = structuralFaults(list(`${"(".repeat(100_000)}1`, { maxItems: 1 }), "schema");
    deepEqual(fault?.field, "schema.x-kubernetes-validations[0].rule");
  });
});
