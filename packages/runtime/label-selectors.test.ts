import { equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { matchesLabels, mayShow } from "./label-selectors.ts";

describe("matchesLabels", () => {
  const labels = { app: "web", tier: "front", "x.io/y": "1" };
  const cases: readonly (readonly [string, boolean | undefined])[] = [
    ["", true],
    ["app=web", true],
    ["app==web,tier=front", true],
    ["app=web,tier=back", false],
    ["app!=web", false],
    ["missing!=web", true],
    ["app", true],
    ["missing", false],
    ["!missing", true],
    ["!app", false],
    ["app in (web, db)", true],
    ["app in (db)", false],
    ["app notin (db)", true],
    ["missing notin (db)", true],
    ["x.io/y in (1,2),app=web", true],
    ["app=web, tier notin (front)", false],
    ["app > 3", undefined],
  ];
  for (const [selector, expected] of cases) {
    test(`${selector || "(empty)"} → ${expected}`, () => equal(matchesLabels(selector, labels), expected));
  }
});

describe("mayShow", () => {
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "n", namespace: "a", labels: { app: "web" } } };
  const cases = [
    { selection: {}, expected: true },
    { selection: { namespace: "a" }, expected: true },
    { selection: { namespace: "b" }, expected: false },
    { selection: { labelSelector: "app=web" }, expected: true },
    { selection: { labelSelector: "app=db" }, expected: false },
    { selection: { fieldSelector: "metadata.name=n" }, expected: true },
    { selection: { fieldSelector: "metadata.name=m" }, expected: false },
    { selection: { fieldSelector: "status.phase=Running" }, expected: false },
  ];
  for (const { selection, expected } of cases) {
    test(`${JSON.stringify(selection)} → ${expected}`, () => equal(mayShow(selection, object), expected));
  }
});
