import { deepEqual, equal } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import {
  applyDefaults,
  type FieldError,
  formatFieldErrors,
  prune,
  type RawSchema,
  SchemaCompiler,
  validate,
} from "./index.ts";

interface Recorded {
  readonly schema: RawSchema;
  readonly cases: readonly { readonly spec: object; readonly causes: readonly FieldError[] }[];
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, "testdata", file), "utf8"));
}

/** Kubernetes reports in the order of a Go map. */
function sorted(errors: readonly FieldError[]): readonly string[] {
  return [...new Set(errors.map(({ field, reason, message }) => `${field}|${reason}|${message}`))].sort();
}

function answersAsRecorded({ schema: raw, cases }: Recorded): void {
  const schema = new SchemaCompiler().compile({ type: "object", properties: { spec: raw } });
  for (const { spec, causes } of cases) {
    test(`spec ${JSON.stringify(spec)}`, () => {
      const value = applyDefaults(schema, prune(schema, { spec }).value);

      deepEqual(sorted(validate(schema, value)), sorted(causes));
    });
  }
}

describe("validate answers as the kube-apiserver does", () => answersAsRecorded(read("validation.json") as Recorded));

describe("validate answers to random values as the kube-apiserver does", () => {
  const { schemas } = read("random-validation.json") as { schemas: readonly Recorded[] };
  for (const recorded of schemas) answersAsRecorded(recorded);
});

describe("formatFieldErrors", () => {
  const error = (field: string): FieldError => ({ field, reason: "FieldValueRequired", message: "Required value" });

  test("one error stands alone, several in brackets, equal ones once", () => {
    equal(formatFieldErrors([error("a")]), "a: Required value");
    equal(formatFieldErrors([error("a"), error("b"), error("a")]), "[a: Required value, b: Required value]");
  });
});

describe("big integers", () => {
  const bounded = new SchemaCompiler().compile({ type: "integer", format: "int64", maximum: 10 });

  test("are compared and shown with all their digits", () => {
    deepEqual(validate(bounded, 9007199254740993n, "spec.big"), [
      {
        field: "spec.big",
        reason: "FieldValueInvalid",
        message: "Invalid value: 9007199254740993: spec.big in body should be less than or equal to 10",
      },
    ]);
  });
});
