import { deepEqual, equal } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { type FieldError, type RawSchema, SchemaCompiler, validateResource, withObjectMeta } from "./index.ts";

interface Recorded {
  readonly schema: RawSchema;
  readonly stored: object;
  readonly cases: readonly { readonly edit: object; readonly causes: readonly FieldError[] }[];
}

const file = join(import.meta.dirname, "testdata/ratcheting.json");
const { schema: raw, stored, cases } = JSON.parse(readFileSync(file, "utf8")) as Recorded;
const schema = withObjectMeta(new SchemaCompiler().compile(raw));
const objectOf = (spec: object) => ({ apiVersion: "example.com/v1", kind: "Sample", metadata: { name: "x" }, spec });

function sorted(errors: readonly FieldError[]): readonly string[] {
  return [...new Set(errors.map(({ field, reason, message }) => `${field}|${reason}|${message}`))].sort();
}

describe("an update is judged by what it changes, as on the kube-apiserver", () => {
  for (const { edit, causes } of cases) {
    test(JSON.stringify(edit), () => {
      const faults = validateResource(schema, objectOf({ ...stored, ...edit }), objectOf(stored));

      deepEqual(sorted(faults), sorted(causes));
    });
  }

  test("a new object is judged by all of it", () => {
    equal(validateResource(schema, objectOf(stored)).length > 5, true);
  });
});

describe("rules", () => {
  const ruled = new SchemaCompiler().compile({
    type: "object",
    properties: { x: { type: "integer", minimum: 3 }, s: { type: "string" } },
    "x-kubernetes-validations": [{ rule: "self.x > 5", message: "too small" }],
  });

  test("still run beside a bound that is broken", () => {
    deepEqual(
      validateResource(ruled, { x: 1 }).map(({ message }) => message),
      ["Invalid value: 1: x in body should be greater than or equal to 3", "Invalid value: too small"],
    );
  });

  test("do not run on a value of a wrong type, and say so", () => {
    deepEqual(
      validateResource(ruled, { x: 6, s: 1 }).map(({ field }) => field),
      ["s", "<nil>"],
    );
  });
});
