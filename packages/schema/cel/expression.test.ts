import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { compileExpression, type Evaluated, ExpressionError, LazyFields } from "./expression.ts";
import { Budget } from "./meter.ts";

const outcome = (result: Evaluated | ExpressionError): unknown =>
  result instanceof ExpressionError ? result.message : result.plain;
const evaluate = (source: string, inputs: Readonly<Record<string, unknown>>, budget = new Budget(10_000)): unknown =>
  outcome(compileExpression(source, Object.keys(inputs)).evaluate(inputs, budget));

describe("an expression without a schema", () => {
  const object = { metadata: { name: "web", labels: { a: "b" } }, spec: { replicas: 3 } };
  const cases: readonly (readonly [source: string, outcome: unknown])[] = [
    ["object.spec.replicas <= 5", true],
    ["has(object.spec.paused)", false],
    ["object.metadata.labels['a'] == 'b' && oldObject == null", true],
    ["'name is ' + object.metadata.name", "name is web"],
    ["object.spec.template.x == 1", "no such key: template"],
  ];
  for (const [source, expected] of cases) {
    test(`${source} gives ${String(expected)}`, () =>
      deepEqual(evaluate(source, { object, oldObject: null }), expected));
  }

  test("names what it does not know", () => {
    throws(() => compileExpression("foo", ["object"]), {
      name: "ExpressionError",
      message: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^",
    });
    equal(compileExpression("object.x", ["object"]).type, "dyn");
    equal(compileExpression("1 == 2", []).type, "bool");
  });

  test("computes fields when they are read, once", () => {
    let reads = 0;
    const budget = new Budget(10_000);
    const variables = new LazyFields(["n", "broken"], (name) => {
      reads += 1;
      return compileExpression(name === "n" ? "object.metadata.name" : "object.none", ["object"]).evaluate(
        { object },
        budget,
      );
    });
    const run = (source: string): unknown =>
      outcome(compileExpression(source, ["variables"]).evaluate({ variables }, budget));
    deepEqual([run("variables.n + variables.n"), run("true || variables.broken"), reads], ["webweb", true, 1]);
    equal(run("variables.broken"), "no such key: none");
  });

  test("ends with its budget, and so does what shares it", () => {
    const budget = new Budget(1_000);
    const list = Array.from({ length: 100 }, (_, index) => index);
    const costly = compileExpression("list.all(x, list.all(y, x + y >= 0))", ["list"]);
    const result = costly.evaluate({ list }, budget);
    ok(result instanceof ExpressionError && result.isExhausted);
    const next = compileExpression("list.size() == 100", ["list"]).evaluate({ list }, budget);
    ok(next instanceof ExpressionError && next.isExhausted);
  });
});
