import { deepEqual, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { configValues, mergeValues } from "./values.ts";

describe("values", () => {
  test("come from the overrides of the install's entry", () => {
    const text = 'configs: [{name: demo, overrides: "a.b=2,list={x,y}"}]';

    deepEqual(JSON.parse(JSON.stringify(configValues(text, "demo", "x"))), { a: { b: 2 }, list: ["x", "y"] });
    deepEqual(configValues(text, "other", "x"), {});
    deepEqual(
      configValues("anything: else", "demo", "x"),
      {},
      "a layer of another shape is the module's own (fault 37)",
    );
    throws(() => configValues("configs: [{name: demo, overrides: 3}]", "demo", "x"), /overrides is 3, expected a text/);
  });

  test("later values win, maps are merged, null stays", () => {
    deepEqual(mergeValues({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: null }, e: [] }), {
      a: { b: null, c: 2 },
      d: 3,
      e: [],
    });
  });
});
