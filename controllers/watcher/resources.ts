import type { Resource } from "@kyma-operators/kube";

/** REST collections that the watcher touches beside our group and Istio's. */
export const secrets: Resource = { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true };

export const pods: Resource = { ...secrets, kind: "Pod", plural: "pods" };

export const deployments: Resource = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};
