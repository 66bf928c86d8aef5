import { defineErrors } from "@kyma-operators/errors";

export const kubeconfigErrors = defineErrors("KUBECONFIG", {
  /** The GardenerCluster controller writes it; the watch on Secrets wakes the Runtime when it has. */
  MISSING: {
    retry: "backoff",
    text: (d: { secret: string }) => `Secret ${d.secret} has no kubeconfig under the key "config" yet`,
  },
});
