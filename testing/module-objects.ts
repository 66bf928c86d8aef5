import type { AnyObject } from "@kyma-operators/kube";

const namespace = "kyma-system";

/** Objects of a small module: a CRD, an account, settings and a Deployment that runs it. */
export const sampleModule = {
  crd: {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "alphas.demo.example.org" },
    spec: {
      group: "demo.example.org",
      scope: "Namespaced",
      names: { kind: "Alpha", listKind: "AlphaList", plural: "alphas", singular: "alpha" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  } as AnyObject,
  account: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "alpha", namespace } } as AnyObject,
  /** The module's own custom resource. */
  customResource: {
    apiVersion: "demo.example.org/v1",
    kind: "Alpha",
    metadata: { name: "default", namespace },
  },
  configMap: (name: string, data: Readonly<Record<string, string>> = {}): AnyObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
    data,
  }),
  deployment: (image: string): AnyObject => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "alpha", namespace, labels: { app: "alpha" } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "alpha" } },
      template: { metadata: { labels: { app: "alpha" } }, spec: { containers: [{ name: "manager", image }] } },
    },
  }),
};

const { crd, account, configMap, deployment } = sampleModule;

/** Two versions of the module: the second one changes settings and image and drops a ConfigMap. */
export const sampleVersions: Readonly<Record<"1" | "2", readonly AnyObject[]>> = {
  1: [crd, account, configMap("settings", { version: "1" }), configMap("old"), deployment("alpha:1")],
  2: [crd, account, configMap("settings", { version: "2" }), deployment("alpha:2")],
};
