import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { type RawSchema, SchemaCompiler, structuralFaults, validateRules } from "@kyma-operators/schema";
import { casesDir } from "./cases-dir.ts";

interface Case {
  readonly kind: "text" | "boolean" | "rule";
  readonly expr: string;
  readonly value?: string;
  readonly passes?: boolean;
  readonly error?: string;
  readonly refused?: "compile" | "cost";
  readonly message?: string;
}

/** Integers beyond 2^53 keep their digits. */
function parseExact(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, context?: { source?: string }) => {
    const source = context?.source ?? "";
    return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
  });
}

const recorded = parseExact(readFileSync(join(casesDir, "cases/cel/expressions.json"), "utf8")) as {
  readonly schema: RawSchema;
  readonly value: unknown;
  readonly cases: readonly Case[];
};

function ruleOf({ kind, expr }: Case): object {
  if (kind === "rule") return { rule: expr };
  const messageExpression = kind === "text" ? `string(${expr})` : `((${expr}) ? 'true' : 'false')`;
  return { rule: "false", messageExpression };
}

/** Struct types carry a number that differs from run to run. */
const withoutNumbers = (text: string): string => text.replaceAll(/selfType\d*/g, "selfType");

describe("every recorded expression is answered as by a kube-apiserver", () => {
  test("there are 190 of them", () => equal(recorded.cases.length, 190));

  for (const one of recorded.cases) {
    test(`${one.kind} ${one.expr}`, () => {
      const raw = { ...recorded.schema, "x-kubernetes-validations": [ruleOf(one)] };
      const faults = structuralFaults({ type: "object", properties: { spec: raw } }, "schema").map(
        ({ message }) => message,
      );
      if (one.refused === "compile") return refusedAs(faults.join("\n"), one.message ?? "");
      if (one.refused === "cost")
        return match(faults.join("\n"), /estimated (rule|messageExpression) cost exceeds budget/);
      deepEqual(faults, []);
      answers(
        one,
        validateRules(new SchemaCompiler().compile(raw), recorded.value, undefined, "spec").map(
          ({ message }) => message,
        ),
      );
    });
  }
});

function refusedAs(faults: string, message: string): void {
  ok(withoutNumbers(faults).includes(withoutNumbers(message)), `${faults}\nis not\n${message}`);
}

function answers({ kind, expr, value, passes, error }: Case, messages: readonly string[]): void {
  if (kind === "rule" && error !== undefined) {
    return deepEqual(messages, [`Invalid value: "object": ${error} evaluating rule: ${expr}`]);
  }
  if (kind === "rule") return deepEqual(messages, passes === true ? [] : [`Invalid value: failed rule: ${expr}`]);
  deepEqual(messages, [`Invalid value: ${error === undefined ? value : "failed rule: false"}`]);
}
