import { equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { build, treeOf } from "./index.ts";

type Files = Readonly<Record<string, string>>;

const built = (files: Files): readonly unknown[] =>
  build(treeOf(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]))), "/");
const kustomization = "kustomization.yaml";
const count = 5000;
const each = <T>(make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const configMap = (name: string, more = "data: {a: b}"): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}\n`;
const deployment = (index: number): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d${index}}\n` +
  `spec: {template: {spec: {containers: [{name: c, image: r, envFrom: [{configMapRef: {name: c${index}}}]}]}}}\n`;
const configMaps = each((index) => configMap(`c${index}`)).join("---\n");
const deployments = each(deployment).join("---\n");

/** A kustomization over many objects. */
const over = (resources: string, fields: object): Files => ({
  [kustomization]: JSON.stringify({ resources: ["x.yaml"], ...fields }),
  "x.yaml": resources,
});
const jsonPatch = '[{"op":"add","path":"/data/z","value":"y"}]';

describe("a build of many objects", () => {
  // In squared time each of these takes minutes: the limit of a test's time is what fails.
  const linear: readonly [name: string, objects: number, files: Files][] = [
    [
      "prefixes and namespaces",
      count,
      over(configMaps, {
        namePrefix: "p-",
        namespace: "z",
        commonLabels: { a: "b" },
        sortOptions: { order: "legacy" },
      }),
    ],
    ["generators", count, over("", { configMapGenerator: each((i) => ({ name: `c${i}`, literals: ["c=d"] })) })],
    [
      "generators that merge",
      count,
      over(configMaps, { configMapGenerator: each((i) => ({ name: `c${i}`, behavior: "merge", literals: ["c=d"] })) }),
    ],
    ["literals", 1, over("", { configMapGenerator: [{ name: "c", literals: each((i) => `k${i}=v`) }] })],
    [
      "files",
      count,
      {
        [kustomization]: JSON.stringify({ resources: each((i) => `${i}.yaml`) }),
        ...Object.fromEntries(each((i) => [`${i}.yaml`, configMap(`c${i}`)])),
      },
    ],
    [
      "siblings with references",
      2 * count,
      {
        [kustomization]: "resources: [a, b]\n",
        [`a/${kustomization}`]: "resources: [c.yaml, d.yaml]\nnamePrefix: a-\n",
        "a/c.yaml": configMaps,
        "a/d.yaml": deployments,
        [`b/${kustomization}`]: "resources: []\nnamePrefix: b-\n",
      },
    ],
    [
      "layers of a namespace each",
      count,
      {
        [kustomization]: JSON.stringify({ resources: each((i) => `n${i}`) }),
        ...Object.fromEntries(
          each((i) => [`n${i}/${kustomization}`, `resources: [x.yaml]\nnamePrefix: p-\nnamespace: n${i}\n`]),
        ),
        ...Object.fromEntries(each((i) => [`n${i}/x.yaml`, configMap("c")])),
      },
    ],
    ["patches by identity", count, over(configMaps, { patches: each((i) => ({ patch: configMap(`c${i}`) })) })],
    [
      "patches by name",
      count,
      over(configMaps, { patches: each((i) => ({ target: { name: `c${i}` }, patch: jsonPatch })) }),
    ],
    [
      "patches that delete",
      0,
      over(configMaps, { patches: [{ target: { kind: "ConfigMap" }, patch: configMap("c", "$patch: delete") }] }),
    ],
    [
      "replacements",
      count,
      over(configMaps, {
        replacements: each((i) => ({
          source: { name: `c${i}`, fieldPath: "data.a" },
          targets: [{ select: { name: `c${count - 1 - i}` }, fieldPaths: ["data.a"] }],
        })),
      }),
    ],
    ["replicas", count, over(deployments, { replicas: each((i) => ({ name: `d${i}`, count: 2 })) })],
  ];
  for (const [name, objects, files] of linear) {
    test(`takes no squared time for ${name}`, () => equal(built(files).length, objects));
  }

  test("has room for more than a large module: 500 patches over 500 objects", () => {
    const patches = each(() => ({ target: { kind: "ConfigMap" }, patch: jsonPatch })).slice(0, 500);
    equal(
      built(
        over(
          each((i) => configMap(`c${i}`))
            .slice(0, 500)
            .join("---\n"),
          { patches },
        ),
      ).length,
      500,
    );
  });

  test("has room for more than a large module: 100 expressions over 1,000 objects", () => {
    const objects = each((i) => configMap(`team-component-c${i}`)).slice(0, 1000);
    const target = { kind: "Config.*", name: ".*-component-c[0-9]+" };
    const patches = each(() => ({ target, patch: jsonPatch })).slice(0, 100);
    equal(built(over(objects.join("---\n"), { patches })).length, 1000);
  });

  const layered = (index: number): Files =>
    Object.fromEntries(
      ["a", "b"].map((side) => [
        `${side}${index}/${kustomization}`,
        `resources: [../a${index - 1}, ../b${index - 1}]\nnamePrefix: ${side}\n`,
      ]),
    );
  const listed = (entry: string, length = 20_000): string =>
    configMap("c", `spec: {items: [${Array.from({ length }, () => entry).join(",")}]}`);
  const wide = JSON.stringify(Object.fromEntries(each((i) => [`k${i}`, i]).slice(0, 1000)));
  const replacing = (fieldPaths: readonly string[], fieldPath: string): object => ({
    replacements: [
      {
        source: { kind: "ConfigMap", fieldPath },
        targets: [{ select: { kind: "ConfigMap" }, fieldPaths, options: { create: true } }],
      },
    ],
  });
  const nested = "a{0,1000}".repeat(50);
  const copies = Array.from({ length: 60 }, (_, i) => i);
  const bombs: readonly [name: string, files: Files][] = [
    ["images that differ", over(deployments, { images: each((i) => ({ name: `r${i}`, newTag: "2" })) })],
    ["expressions", over(configMaps, { patches: each((i) => ({ target: { name: `.*${i}` }, patch: jsonPatch })) })],
    ["labels", over(configMaps, { commonLabels: Object.fromEntries(each((i) => [`l${i}`, "x"])) })],
    [
      "components",
      {
        ...over(configMaps, { components: copies.map((i) => `k${i}`) }),
        ...Object.fromEntries(copies.map((i) => [`k${i}/${kustomization}`, "kind: Component\nnamePrefix: prefix-\n"])),
      },
    ],
    [
      "layers that double",
      Object.assign({ [kustomization]: "resources: [a59, b59]\n" }, ...copies.slice(1).map(layered), {
        [`a0/${kustomization}`]: "namePrefix: a\n",
        [`b0/${kustomization}`]: "namePrefix: b\n",
      }),
    ],
    [
      "copies that double",
      over(configMap("c"), {
        patches: copies.map((i) => ({
          target: { kind: "ConfigMap" },
          patch: JSON.stringify([{ op: "copy", from: "/data", path: `/data/x${i}` }]),
        })),
      }),
    ],
    [
      "replacements that double",
      over(configMap("c"), {
        replacements: copies.map((i) => ({
          source: { kind: "ConfigMap", fieldPath: "data" },
          targets: [{ select: { kind: "ConfigMap" }, fieldPaths: [`data.x${i}`], options: { create: true } }],
        })),
      }),
    ],
    [
      "a map that is put into every entry of a list",
      over(`${listed("{}")}data: ${wide}\n`, replacing(["spec.items.*.x"], "data")),
    ],
    [
      "paths that search a list",
      over(
        listed("{k: v}"),
        replacing(
          each((i) => `spec.items.[k=v${i}].x`),
          "metadata.name",
        ),
      ),
    ],
    ["paths that take many steps", over(listed("{}"), replacing([`spec.items.*${".x".repeat(2000)}`], "kind"))],
    [
      "an expression that repeats",
      over(configMap("a".repeat(3000)), { patches: [{ target: { name: nested }, patch: jsonPatch }] }),
    ],
    [
      "expressions for nothing",
      over("", { patches: each((i) => ({ target: { name: `a{0,900}${i}` }, patch: jsonPatch })) }),
    ],
    ["an image that repeats", over(deployments, { images: each((i) => ({ name: `r{0,900}${i}`, newTag: "2" })) })],
    [
      "images in a large object",
      over(listed("1", 100_000) + "containers: [{image: r}]\n", { images: each(() => ({ name: "r", newTag: "2" })) }),
    ],
    [
      "labels at many places",
      over(listed("{}"), {
        labels: each((i) => ({ pairs: { [`l${i}`]: "x" }, fields: [{ path: "spec/items/x", create: true }] })),
      }),
    ],
    [
      "labels that look for a place",
      over(listed("{}"), { labels: each((i) => ({ pairs: { [`l${i}`]: "x" }, fields: [{ path: "spec/items/x" }] })) }),
    ],
    [
      "labels at fields that are not there",
      over(configMaps, { labels: [{ pairs: { a: "b" }, fields: each((i) => ({ path: `x${i}` })) }] }),
    ],
  ];
  const limit = { code: "KUSTOMIZE_LIMIT", message: /^the work of one build.* exceeds the limit of 2000000$/ };
  for (const [name, files] of bombs) {
    test(`ends at a limit for ${name}`, () => throws(() => built(files), limit));
  }
});
