import { defineErrors } from "@kyma-operators/errors";

export const gardenErrors = defineErrors("GARDEN", {
  /** Gardener answered with something else than a kubeconfig; it is asked again. */
  NO_KUBECONFIG: {
    retry: "backoff",
    text: (d: { shoot: string }) => `Gardener answered the request for Shoot ${d.shoot} without a kubeconfig`,
  },
  /** Somebody copied our label; deleting either could be wrong. */
  SECRETS_AMBIGUOUS: {
    retry: "on-change",
    text: (d: { cluster: string; secrets: string }) =>
      `more than one Secret belongs to GardenerCluster ${d.cluster}: ${d.secrets}; remove the label operator.kyma-project.io/cluster-name from all but one`,
  },
});
