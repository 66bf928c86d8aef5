import { deepEqual, equal, notEqual, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import type { Manifest, ManifestSpec } from "../../../apis/operator/manifest.ts";
import { valueAt } from "../json.ts";
import { secretsToInject } from "./inject.ts";
import { normalizeNamespaces } from "./namespaces.ts";
import { type TransformInput, transform } from "./transforms.ts";

const manifest = (spec: Partial<ManifestSpec> = {}, labels: Record<string, string> = {}): Manifest => ({
  apiVersion: "operator.kyma-project.io/v1beta2",
  kind: "Manifest",
  metadata: { name: "kyma-one-keda", namespace: "kcp-system", labels },
  spec: { remote: false, install: { name: "raw-manifest", source: {} }, ...spec },
});

const deployment = (containers: unknown[], more: Record<string, unknown> = {}): AnyObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "manager", namespace: "kyma-system" },
  spec: { template: { spec: { containers, ...more } } },
});

const run = (object: AnyObject, input: Partial<TransformInput> = {}): AnyObject => {
  const [result] = transform([object], { manifest: manifest(), scopeOf: () => true, ...input });
  if (result === undefined) throw new Error("an object got lost");
  return result;
};

describe("transform", () => {
  test("marks every object as Kyma's and keeps its other labels (U080, 16.2-13, fault 36)", () => {
    const result = run({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", labels: { own: "x" } } });

    deepEqual(result.metadata.labels, {
      own: "x",
      "operator.kyma-project.io/managed-by": "kyma",
      "app.kubernetes.io/component": "kyma-one-keda",
      "app.kubernetes.io/part-of": "Kyma",
    });
    equal(result.metadata.annotations?.["deprecated-operator.kyma-project.io/owned-by"], "kcp-system/kyma-one-keda");
    equal(
      result.metadata.annotations?.["operator.kyma-project.io/managed-by-reconciler-disclaimer"]?.split("\n").length,
      2,
    );
  });

  test("never changes the objects it is given: renders are shared between Manifests", () => {
    const given = Object.freeze(deployment([{ name: "m", image: "keda:1" }]));
    const before = JSON.stringify(given);

    notEqual(
      run(given, { manifest: manifest({ localizedImages: ["mirror.example.org/keda:1"] }), pullSecret: "pull" }),
      given,
    );
    equal(JSON.stringify(given), before);
  });

  test("rewrites images in place of the whole reference (U084)", () => {
    const input = { manifest: manifest({ localizedImages: ["mirror.example.org/x/keda:1"] }) };
    const result = run(deployment([{ name: "m", image: "origin.example.org/keda:1" }]), input);

    equal(valueAt(result, "spec", "template", "spec", "containers", "0"), undefined);
    deepEqual(valueAt(result, "spec", "template", "spec", "containers"), [
      { name: "m", image: "mirror.example.org/x/keda:1" },
    ]);
  });

  test("a manager without namespace gets the env of the pull secret wherever it is (M14)", () => {
    const manager = { group: "apps", version: "v1", kind: "Deployment", name: "manager" };
    const result = run(deployment([{ name: "m" }]), { manifest: manifest({ manager }), pullSecret: "pull" });

    deepEqual(valueAt(result, "spec", "template", "spec"), {
      containers: [{ name: "m", env: [{ name: "SKR_IMG_PULL_SECRET", value: "pull" }] }],
      imagePullSecrets: [{ name: "pull" }],
    });
  });

  test("refuses a localized image that is no reference (U084)", () => {
    throws(() => run(deployment([]), { manifest: manifest({ localizedImages: ["::"] }) }), {
      code: "MANIFEST_TRANSFORM",
      message: /^failed to parse localized images: /,
    });
  });
});

describe("secretsToInject", () => {
  const marked: AnyObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "creds", annotations: { "operator.kyma-project.io/inject-data-from-kcp": "true" } },
  };

  test("asks for the marked Secrets of the module deployer only (E131)", () => {
    const label = "operator.kyma-project.io/module-name";

    deepEqual(secretsToInject(manifest({}, { [label]: "deployer" }), [marked]), ["creds"]);
    deepEqual(secretsToInject(manifest({}, { [label]: "other" }), [marked]), []);
  });
});

describe("normalizeNamespaces", () => {
  const crd: AnyObject = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "lamps.example.org" },
    spec: { group: "example.org", scope: "Namespaced", names: { kind: "Lamp" } },
  };
  const lamp: AnyObject = { apiVersion: "example.org/v1", kind: "Lamp", metadata: { name: "a" } };

  test("leaves a kind alone that nobody knows (U081)", () => {
    deepEqual(
      normalizeNamespaces([lamp], () => undefined),
      [lamp],
    );
  });

  test("knows the kinds of CRDs that come with the module", () => {
    equal(normalizeNamespaces([crd, lamp], () => undefined)[1]?.metadata.namespace, "default");
  });
});
