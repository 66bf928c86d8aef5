import { defineErrors } from "@kyma-operators/errors";

/** Failures of the Kyma controller. Their texts become `status.lastOperation.operation`. */
export const kymaErrors = defineErrors("KYMA", {
  /** Nothing says how to reach the remote cluster; while the Kyma is being deleted this means the cluster is gone. */
  ACCESS_SECRET_MISSING: {
    retry: "on-change",
    text: (d: { kyma: string; namespace: string }) =>
      `skr client context not found: access secret not found: expected one Secret in ${d.namespace} with the label operator.kyma-project.io/kyma-name=${d.kyma}`,
  },
  ACCESS_SECRET_AMBIGUOUS: {
    retry: "on-change",
    text: (d: { kyma: string; names: readonly string[] }) =>
      `skr client context not found: more than one secret found for ${d.kyma}: ${d.names.join(", ")}; expected exactly one`,
  },
  ACCESS_SECRET_INVALID: {
    retry: "on-change",
    text: (d: { secret: string; problem: string }) => `skr client context not found: Secret ${d.secret}: ${d.problem}`,
  },
  /** The remote cluster cannot be reached, or does not let us in. */
  REMOTE_UNREACHABLE: {
    retry: "backoff",
    text: (d: { kyma: string }) => `the remote cluster of ${d.kyma} does not answer`,
  },
  REMOTE_UNAUTHORIZED: {
    retry: "backoff",
    text: (d: { kyma: string }) =>
      `the remote cluster of ${d.kyma} refuses our credentials; is its access Secret up to date?`,
  },
  CRD_SYNC: { retry: "backoff", text: () => "failed to sync CRDs to SKR" },
  /** A CRD of ours is not on the control plane, so there is nothing to copy. */
  CRD_MISSING: {
    retry: "backoff",
    text: (d: { name: string }) => `CustomResourceDefinition ${d.name} is not on the control plane`,
  },
  CRD_NOT_ESTABLISHED: {
    retry: "backoff",
    text: (d: { name: string }) => `CustomResourceDefinition ${d.name} is not established on the remote cluster yet`,
  },
  SPEC_REPLACEMENT: {
    retry: "backoff",
    text: () => "could not replace control plane kyma spec with remote kyma spec",
  },
  /** The remote cluster holds something else under the name of its Kyma; its user puts that right or deletes it. */
  REMOTE_INVALID: {
    retry: "backoff",
    text: (d: { namespace: string; problem: string }) =>
      `remote Kyma ${d.namespace}/default: ${d.problem}; put it right on the remote cluster, or delete it to start from the default modules`,
  },
  FORBIDDEN_CHANNEL: {
    retry: "on-change",
    text: () => 'invalid kyma spec: value "none" is not allowed in spec.channel',
  },
  STATUS_SYNC: { retry: "backoff", text: () => "could not synchronize remote kyma status" },
  /** The remote Kyma could not be marked as ours; its cluster refuses the write or does not answer. */
  METADATA_SYNC: { retry: "backoff", text: () => "could not synchronize remote kyma metadata" },
  CATALOG_SYNC: { retry: "backoff", text: () => "could not synchronize the module catalog" },
  PULL_SECRET_MISSING: {
    retry: "backoff",
    text: (d: { name: string; namespace: string }) =>
      `image pull Secret ${d.namespace}/${d.name} is not on the control plane; create it or clear --skr-image-pull-secret`,
  },
  PULL_SECRET_SYNC: { retry: "backoff", text: () => "could not synchronize the image pull secret" },
  /**
   * The Secret with values for the modules of a Kyma can't be read, so no module is changed; it holds a YAML map of
   * modules.
   */
  VALUES_INVALID: {
    retry: "on-change",
    text: (d: { kyma: string; secret: string; problem: string }) =>
      `values for the modules of ${d.kyma}: Secret ${d.secret}: ${d.problem}; no module is changed until it is put right`,
  },
  /** Some Manifests were refused or could not be written. */
  MANIFEST_WRITE: {
    retry: "backoff",
    text: (d: { first: string; others: number }) =>
      d.others === 0 ? `could not write ${d.first}` : `could not write ${d.first} and ${d.others} more`,
  },
  /** A module or the Kyma itself is in state Error; its message says why. */
  IN_ERROR_STATE: { retry: "backoff", text: () => "kyma in error state" },
  /** Our part of the deletion is done, and other components still hold the Kyma. */
  DELETION_STUCK: {
    retry: "on-change",
    text: (d: { kyma: string; foreign: string }) =>
      `no deletion step applies to ${d.kyma}; held by finalizers ${d.foreign}`,
  },
});
