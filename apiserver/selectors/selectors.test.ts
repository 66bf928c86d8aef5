import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { array, assert as check, constantFrom, dictionary, property, record, string as text } from "fast-check";
import { ApiError } from "../api-error.ts";
import { parseFieldSelector } from "./field-selector.ts";
import { formatLabelSelector } from "./format-label-selector.ts";
import { compileLabelSelector, parseLabelSelector } from "./label-selector.ts";

describe("parseLabelSelector", () => {
  const labels = { app: "web", tier: "front", n: "7" };
  const cases: readonly (readonly [string, boolean])[] = [
    ["app=web", true],
    ["app==web", true],
    ["app!=web", false],
    ["absent!=web", true],
    ["app in (db, web)", true],
    ["app notin (db, web)", false],
    ["tier", true],
    ["!tier", false],
    ["!absent", true],
    ["n>5", true],
    ["n<5", false],
    ["app>5", false],
    ["app=web,tier=back", false],
    ["", true],
  ];
  for (const [text, selected] of cases)
    test(`${text} ${selected ? "selects" : "leaves out"}`, () => equal(parseLabelSelector(text)(labels), selected));

  test("refuses what it can't understand, and names of Object as operators", () => {
    for (const text of ["a=b=c", "a in (b", "a constructor b", "=", "a b"])
      throws(() => parseLabelSelector(text), ApiError);
  });

  test("reads what it writes", () => {
    const key = constantFrom("a", "b.c/d", "e-f");
    const value = constantFrom("x", "y", "z1");
    const expression = record({
      key,
      operator: constantFrom("In", "NotIn", "Exists", "DoesNotExist"),
      values: array(value, { minLength: 1, maxLength: 3 }),
    });
    const selector = record({
      matchLabels: dictionary(key, value),
      matchExpressions: array(expression, { maxLength: 3 }),
    });
    check(
      property(selector, dictionary(key, value), (wanted, labels) => {
        equal(parseLabelSelector(formatLabelSelector(wanted))(labels), compileLabelSelector(wanted)(labels));
      }),
    );
  });

  test("never fails otherwise than by a refusal", () => {
    check(
      property(
        text({ maxLength: 30, unit: constantFrom("a", "b", "=", "!", ",", "(", ")", " ", "in", ">", "<") }),
        (text) => {
          try {
            parseLabelSelector(text)({});
          } catch (error) {
            equal(error instanceof ApiError, true);
          }
        },
      ),
    );
  });
});

describe("parseFieldSelector", () => {
  const pod: AnyObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "a" },
    spec: { nodeName: "n" },
    status: { phase: "Running" },
  };
  test("selects by the fields of the kind", () => {
    const answers = [
      "metadata.name=p",
      "status.phase!=Running",
      "spec.nodeName==n,metadata.namespace=a",
      "spec.schedulerName=",
    ].map((text) => parseFieldSelector(text, "/pods")(pod));
    deepEqual(answers, [true, false, true, true]);
  });
  test("refuses other fields", () => throws(() => parseFieldSelector("spec.x=1", "/pods"), /not supported: spec.x/));
  test("takes the selectable fields of a definition", () =>
    equal(parseFieldSelector("spec.color=red", "g/things", ["spec.color"])({ ...pod, spec: { color: "red" } }), true));
});
