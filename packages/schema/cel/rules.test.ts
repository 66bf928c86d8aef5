import { deepEqual, equal, match } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { type FieldError, type RawSchema, SchemaCompiler, validateRules, withObjectMeta } from "../index.ts";
import { Budget } from "./meter.ts";
import { RuleRun } from "./rules.ts";

interface Recorded {
  readonly schema: RawSchema;
  readonly cases: readonly { readonly spec: object; readonly old?: object; readonly causes: readonly FieldError[] }[];
}

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "../testdata/rules.json"), "utf8")) as Recorded;
const schema = withObjectMeta(new SchemaCompiler().compile(recorded.schema));
const objectOf = (spec: object) => ({ apiVersion: "example.com/v1", kind: "Sample", metadata: { name: "x" }, spec });

function sorted(errors: readonly FieldError[]): readonly string[] {
  return errors.map(({ field, reason, message }) => `${field}|${reason}|${message}`).sort();
}

describe("rules judge as on the kube-apiserver", () => {
  for (const { spec, old, causes } of recorded.cases) {
    const title = old === undefined ? JSON.stringify(spec) : `${JSON.stringify(old)} becomes ${JSON.stringify(spec)}`;
    test(title, () => {
      const before = old === undefined ? undefined : objectOf(old);

      deepEqual(sorted(validateRules(schema, objectOf(spec), before)), sorted(causes));
    });
  }
});

describe("budget", () => {
  const expensive: RawSchema = {
    type: "object",
    properties: { l: { type: "array", items: { type: "integer" } } },
    "x-kubernetes-validations": [{ rule: "self.l.all(x, self.l.all(y, x + y >= 0))" }],
  };
  const costly = new SchemaCompiler().compile(expensive);
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

  test("an evaluation that takes too many steps is stopped and named", () => {
    const [error] = validateRules(costly, { l: numbers(1_000) }, undefined, "spec");

    equal(
      error?.message,
      'Invalid value: "object": call cost exceeds limit for rule: self.l.all(x, self.l.all(y, x + y >= 0))',
    );
  });

  test("all rules of an object share one budget", () => {
    const many = new SchemaCompiler().compile({ type: "array", items: { ...expensive } });
    const value = numbers(40).map(() => ({ l: numbers(20) }));
    const errors = new RuleRun(new Budget(50_000)).check({ schema: many, value, old: undefined, path: "spec" });

    match(errors.at(-1)?.message ?? "", /running out of cost budget/);
    equal(errors.filter(({ message }) => /budget/.test(message)).length, 1);
  });
});
