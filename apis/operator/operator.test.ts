import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { apiVersion, crdName, kymas } from "./group.ts";
import { parseInstallSource } from "./install-source.ts";
import { isBeta, isPaused, type Kyma, withKymaDefaults } from "./kyma.ts";
import { isPaused as isManifestPaused, type Manifest, ownsModuleResource } from "./manifest.ts";
import { isVisibleTo, type ModuleTemplate } from "./module-template.ts";
import { isState } from "./state.ts";
import { type Watcher, watcherManager } from "./watcher.ts";

const kyma = (labels: Record<string, string> = {}): Kyma => ({
  apiVersion,
  kind: "Kyma",
  metadata: { name: "k", labels },
  spec: { channel: "regular", modules: [{ name: "a" }, { name: "b", managed: false, customResourcePolicy: "Ignore" }] },
});

const manifest = (spec: Partial<Manifest["spec"]>, labels: Record<string, string> = {}): Manifest => ({
  apiVersion,
  kind: "Manifest",
  metadata: { name: "m", labels },
  spec: { remote: false, install: { name: "raw-manifest", source: {} }, ...spec },
});

describe("a Kyma", () => {
  test("gets the defaults of its schema, and stays the same object when all are set", () => {
    const filled = withKymaDefaults(kyma());
    deepEqual(filled.spec.modules, [
      { name: "a", managed: true, customResourcePolicy: "CreateAndDelete" },
      { name: "b", managed: false, customResourcePolicy: "Ignore" },
    ]);
    equal(withKymaDefaults(filled), filled);
  });

  test("is paused and beta by labels in any case, while a Manifest wants the exact text", () => {
    const labels = { "operator.kyma-project.io/skip-reconciliation": "TRUE", "operator.kyma-project.io/beta": "True" };
    ok(isPaused(kyma(labels)) && isBeta(kyma(labels)));
    equal(isManifestPaused(manifest({}, labels)), false);
  });
});

describe("the default resource of a module", () => {
  const resource = { apiVersion: "v1", kind: "ConfigMap" };
  const cases = [
    { name: "is ours by default", spec: { resource }, ours: true },
    {
      name: "is not ours under policy Ignore",
      spec: { resource, customResourcePolicy: "Ignore" as const },
      ours: false,
    },
    { name: "is not ours when it is null", spec: { resource: null }, ours: false },
  ];
  for (const { name, spec, ours } of cases) test(name, () => equal(ownsModuleResource(manifest(spec)), ours));
});

test("a template is visible to Kymas of its kind only, and never when mandatory (U009)", () => {
  const template = (labels: Record<string, string>, mandatory = false): ModuleTemplate => ({
    apiVersion,
    kind: "ModuleTemplate",
    metadata: { labels },
    spec: { descriptor: {}, mandatory },
  });
  const beta = { "operator.kyma-project.io/beta": "true" };
  equal(isVisibleTo(template(beta), { beta: true, internal: false }), true);
  equal(isVisibleTo(template(beta), { beta: false, internal: true }), false);
  equal(isVisibleTo(template({}, true), { beta: true, internal: true }), false);
});

describe("parseInstallSource", () => {
  const layer = { repo: "r", name: "n", ref: "sha256:0" };
  const cases = [
    { name: "reads a layer", source: { ...layer, type: "oci-dir" }, read: { ...layer, type: "oci-dir" } },
    {
      name: "reads a chart in a layer",
      source: { ...layer, type: "helm-chart" },
      read: { ...layer, type: "helm-chart" },
    },
    {
      name: "reads a chart of a repository",
      source: { type: "helm-chart", url: "https://c", chartName: "a", version: "1.0.0" },
      read: { type: "helm-chart", url: "https://c", chartName: "a", version: "1.0.0" },
    },
    {
      name: "reads a chart of a registry",
      source: { type: "helm-chart", url: "oci://r/c:1" },
      read: { type: "helm-chart", url: "oci://r/c:1" },
    },
    {
      name: "reads a kustomization",
      source: { type: "kustomize", path: "./x", url: "" },
      read: { type: "kustomize", path: "./x" },
    },
    {
      name: "names an unknown type",
      source: { type: "zip" },
      read: { problem: 'type is "zip", expected one of oci-ref, oci-dir, helm-chart, kustomize' },
    },
    {
      name: "names what a layer lacks",
      source: { type: "oci-ref", repo: "r" },
      read: { problem: "type oci-ref needs the texts repo, name and ref" },
    },
    {
      name: "refuses a layer and something elsewhere at once",
      source: { ...layer, type: "helm-chart", url: "https://c", chartName: "a", version: "1.0.0" },
      read: {
        problem: "url and repo are both given, expected either repo, name and ref of a layer or a url or path",
      },
    },
    {
      name: "wants a version from a chart repository",
      source: { type: "helm-chart", url: "https://c", chartName: "a" },
      read: {
        problem: "type helm-chart needs chartName and version for the chart repository https://c",
      },
    },
  ];
  for (const { name, source, read } of cases) test(name, () => deepEqual(parseInstallSource(source), read));
});

test("names and states", () => {
  equal(crdName(kymas), "kymas.operator.kyma-project.io");
  ok(isState("") && !isState("Unknown"));
  const watcher = {
    metadata: { labels: { "operator.kyma-project.io/managed-by": "klm" } },
    spec: {},
  } as unknown as Watcher;
  equal(watcherManager(watcher), "klm");
});
