import { deepEqual, equal, match, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { assert, constantFrom, dictionary, property, string, uniqueArray } from "fast-check";
import { build, type FileTree, treeOf } from "./index.ts";

const tree = (files: Record<string, string>): FileTree =>
  treeOf(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
const built = (files: Record<string, string>, folder = "/"): readonly Record<string, unknown>[] =>
  build(tree(files), folder);
const nameOf = (object: Record<string, unknown> | undefined): unknown =>
  (object?.["metadata"] as Record<string, unknown> | undefined)?.["name"];

const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

describe("build", () => {
  test("applies the layers from the inside out", () => {
    const files = {
      "base/kustomization.yaml": "namePrefix: b-\nresources: [x.yaml]\n",
      "base/x.yaml": configMap("x"),
      "over/kustomization.yaml": "namePrefix: o-\nresources: [../base]\n",
    };

    deepEqual(built(files, "/over").map(nameOf), ["o-b-x"]);
  });

  test("lets references follow generated names", () => {
    const [generated, pod] = built({
      "kustomization.yaml": "configMapGenerator: [{name: c, literals: [a=1]}]\nresources: [pod.yaml]\n",
      "pod.yaml":
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, envFrom: [{configMapRef: {name: c}}]}]}\n",
    });

    match(JSON.stringify(pod), new RegExp(`"configMapRef":{"name":"${String(nameOf(generated))}"}`));
  });

  test("keeps integers that JavaScript can't", () => {
    const [object] = built({
      "kustomization.yaml": "resources: [x.yaml]\n",
      "x.yaml": "apiVersion: e/v1\nkind: T\nmetadata: {name: t}\nbig: 9007199254740993\n",
    });

    equal(object?.["big"], 9007199254740993n);
  });

  const refusals: readonly [name: string, files: Record<string, string>, error: { code: string; message: RegExp }][] = [
    [
      "a misspelt field",
      { "kustomization.yaml": "nameprefix: x\n" },
      { code: "KUSTOMIZE_INVALID_KUSTOMIZATION", message: /unknown field "nameprefix"/ },
    ],
    [
      "a field that is not served",
      { "kustomization.yaml": "vars: [{name: x}]\n" },
      { code: "KUSTOMIZE_UNSUPPORTED", message: /vars is not supported: use replacements/ },
    ],
    [
      "a remote resource",
      { "kustomization.yaml": 'resources: ["https://example.org/x.yaml"]\n' },
      { code: "KUSTOMIZE_REMOTE", message: /https:\/\/example\.org\/x\.yaml is not in this tree/ },
    ],
    [
      "a file outside the folder",
      { "a/kustomization.yaml": "resources: [../x.yaml]\n", "x.yaml": configMap("x") },
      { code: "KUSTOMIZE_PATH", message: /not in or below '\/a'/ },
    ],
    [
      "two objects of one identity",
      { "kustomization.yaml": "resources: [x.yaml, y.yaml]\n", "x.yaml": configMap("x"), "y.yaml": configMap("x") },
      {
        code: "KUSTOMIZE_DUPLICATE_ID",
        message:
          /^\/y\.yaml: may not add resource with an already registered id: ConfigMap\.v1\.\[noGrp\]\/x\.\[noNs\]$/,
      },
    ],
    [
      "two objects that meet in a namespace",
      {
        "kustomization.yaml": "resources: [x.yaml]\nnamespace: z\n",
        "x.yaml": `${configMap("x, namespace: a")}---\n${configMap("x, namespace: b")}`,
      },
      { code: "KUSTOMIZE_TRANSFORM", message: /produces ID conflict: ConfigMap\.v1\.\[noGrp\]\/x\.z$/ },
    ],
    [
      "folders in a circle",
      { "a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../a]\n" },
      {
        code: "KUSTOMIZE_CYCLE",
        message: /^\/b\/kustomization\.yaml: cycle detected: candidate root '\/a' contains visited root '\/a'$/,
      },
    ],
    [
      "a wrong resource once, with its place",
      { "kustomization.yaml": "resources: [x.yaml]\n", "x.yaml": `${configMap("x")}data: &a {b: *a}\n` },
      {
        code: "KUSTOMIZE_INVALID_OBJECT",
        message: /^\/x\.yaml: YAML, line 4, column \d+: anchor 'a' value contains itself$/,
      },
    ],
    [
      "a kustomization that is no YAML once, with its place",
      { "kustomization.yaml": "resources: [x.yaml\nnamePrefix: x\n" },
      {
        code: "KUSTOMIZE_INVALID_KUSTOMIZATION",
        message: /^\/kustomization\.yaml: invalid Kustomization: YAML, line 2, column 11: did not find/,
      },
    ],
    [
      "a folder without kustomization",
      { "x.yaml": "a: b" },
      { code: "KUSTOMIZE_NO_KUSTOMIZATION", message: /in directory '\/'/ },
    ],
    [
      "a broken regular expression in a target",
      {
        "kustomization.yaml": 'resources: [x.yaml]\npatches: [{target: {name: "("}, patch: "[]"}]\n',
        "x.yaml": configMap("x"),
      },
      { code: "KUSTOMIZE_PATCH", message: /"\(" is no regular expression/ },
    ],
  ];

  for (const [name, files, error] of refusals) {
    test(`refuses ${name} by name`, () =>
      throws(() => built(files, files["a/kustomization.yaml"] ? "/a" : "/"), error));
  }

  const mistyped: readonly [name: string, text: string, problem: RegExp][] = [
    ["a text in the place of a list", "resources: x", /string into field resources, expected a list$/],
    [
      "a number in the place of a text",
      "images: [{newTag: 1}]",
      /number into field images\[0\]\.newTag, expected a string; put it in quotes$/,
    ],
    [
      "a fraction in the place of a count",
      "replicas: [{count: 1.5}]",
      /number 1\.5 into field replicas\[0\]\.count, expected an integer$/,
    ],
    [
      "a map in the place of a flag",
      "labels: [{includeSelectors: {}}]",
      /object into field labels\[0\]\.includeSelectors, expected true or false$/,
    ],
  ];
  for (const [name, text, message] of mistyped) {
    test(`refuses ${name} with the field`, () =>
      throws(() => built({ "kustomization.yaml": text }), { code: "KUSTOMIZE_INVALID_KUSTOMIZATION", message }));
  }

  test("a key named __proto__ changes nothing but itself", () => {
    const [object] = built({
      "kustomization.yaml": "resources: [x.yaml]\ncommonAnnotations: {a: b}\n",
      "x.yaml": `${configMap("x")}data: {__proto__: evil}\n`,
    });

    equal(Object.getPrototypeOf(object?.["data"]), Object.prototype);
    equal(({} as Record<string, unknown>)["evil"], undefined);
  });

  test("labels reach every object and building is repeatable, whatever the objects", () => {
    const names = uniqueArray(string({ unit: constantFrom("a", "b", "c", "-x"), minLength: 1, maxLength: 6 }), {
      maxLength: 6,
    });
    const labels = dictionary(constantFrom("team", "tier"), constantFrom("1", "two"), { minKeys: 1 });

    assert(
      property(names, labels, (objects, pairs) => {
        const files = {
          "kustomization.yaml": JSON.stringify({ resources: ["x.yaml"], labels: [{ pairs }] }),
          "x.yaml": objects.map((name) => configMap(JSON.stringify(name))).join("---\n"),
        };
        const first = built(files);
        equal(first.length, objects.length);
        for (const object of first) deepEqual((object["metadata"] as { labels: unknown }).labels, { ...pairs });
        deepEqual(built(files), first);
      }),
      { numRuns: 100 },
    );
  });
});
