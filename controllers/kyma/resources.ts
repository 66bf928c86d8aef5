import type { Resource } from "@kyma-operators/kube";

/** REST collections outside our group that the Kyma controller touches. */
export const secrets: Resource = { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true };

export const namespaces: Resource = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};

export const customResourceDefinitions: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};
