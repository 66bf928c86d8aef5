import { deepEqual, equal, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { coreMergeFacts, strategicMerge } from "./index.ts";

interface Recorded {
  readonly original: object;
  readonly cases: readonly { readonly patch: object; readonly merged: object }[];
}

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "testdata/patches.json"), "utf8")) as Recorded;
const facts = coreMergeFacts("apps/v1", "Deployment");

describe("a Deployment is patched as by the kube-apiserver", () => {
  for (const { patch, merged } of recorded.cases) {
    test(JSON.stringify(patch), () => {
      const before = JSON.stringify(recorded.original);

      deepEqual(strategicMerge(recorded.original, patch, facts), merged);
      equal(JSON.stringify(recorded.original), before, "the original does not change");
    });
  }
});

describe("a patch that makes no sense is refused in Kubernetes' words", () => {
  const containers = (...items: readonly object[]) => ({ spec: { template: { spec: { containers: items } } } });
  const cases = [
    {
      name: "an item without its merge key",
      patch: containers({ image: "x" }),
      problem: "map: map[image:x] does not contain declared merge key: name",
    },
    {
      name: "an unknown directive of an item",
      patch: containers({ name: "c1", $patch: "foo" }),
      problem: "unknown patch type: foo in map: map[$patch:foo name:c1]",
    },
    {
      name: "an unknown directive of a map",
      patch: { spec: { $patch: "bar" } },
      problem: "unknown patch type: bar in map: map[$patch:bar]",
    },
    {
      name: "an order that leaves out an item of the patch",
      patch: {
        spec: {
          template: {
            spec: { "$setElementOrder/containers": [{ name: "c1" }], containers: [{ name: "c2", image: "q" }] },
          },
        },
      },
      problem:
        "The order in patch list:\n[map[image:q name:c2]]\n doesn't match $setElementOrder list:\n[map[name:c1]]\n",
    },
    {
      name: "an order that is no list",
      patch: { metadata: { "$setElementOrder/finalizers": "x" } },
      problem: "expected a []interface {}, but received a string",
    },
    {
      name: "a field that is not retained",
      patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate", rollingUpdate: {} } } },
      problem: "invalid patch format of retainKeys",
    },
    {
      name: "scalars among maps",
      patch: { metadata: { finalizers: [{ a: 1 }] } },
      problem: "list element types are not identical: [[x.io/a x.io/b] [map[a:1]]]",
    },
  ];
  for (const { name, patch, problem } of cases) {
    test(name, () => {
      throws(
        () => strategicMerge(recorded.original, patch, facts),
        (error: { code?: string; detail?: { problem?: string } }) =>
          error.code === "STRATEGIC_MERGE_PATCH_INVALID" && error.detail?.problem === problem,
      );
    });
  }
});

describe("without facts", () => {
  test("lists are replaced, maps merge, null deletes", () => {
    const merged = strategicMerge({ a: [1], m: { x: 1, y: 2 }, z: 1 }, { a: [2], m: { y: null }, z: null });

    deepEqual(merged, { a: [2], m: { x: 1 } });
  });

  test("a field called __proto__ stays a field", () => {
    const merged = strategicMerge({}, JSON.parse('{"__proto__":{"polluted":true}}') as object);

    equal(Object.hasOwn(merged, "__proto__"), true);
    equal("polluted" in {}, false);
  });
});

describe("coreMergeFacts", () => {
  test("knows the kinds that Kubernetes serves, and no others", () => {
    deepEqual(coreMergeFacts("v1", "Service")?.field("spec")?.value?.field("ports")?.mergeKey, "port");
    equal(coreMergeFacts("example.com/v1", "Service"), undefined);
    equal(coreMergeFacts("v1", "toString"), undefined);
  });
});
