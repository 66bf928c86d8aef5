import type { Shoot } from "@kyma-operators/gardener";
import type { AnyObject } from "@kyma-operators/kube";

/** A Shoot as somebody else has made it: `garden-kyma-dev/c-1`, which the simulated Gardener accepts. */
export const shootSample = {
  apiVersion: "core.gardener.cloud/v1beta1",
  kind: "Shoot",
  metadata: { name: "c-1", namespace: "garden-kyma-dev" },
  spec: {
    region: "eu-central-1",
    secretBindingName: "aws-binding",
    cloudProfileName: "aws",
    networking: { type: "calico", nodes: "10.250.0.0/16" },
    kubernetes: { version: "1.31.9" },
    provider: {
      type: "aws",
      workers: [{ name: "main", machine: { type: "m6i.large" }, minimum: 1, maximum: 1, zones: ["eu-central-1a"] }],
    },
  },
} as unknown as Shoot & AnyObject;
