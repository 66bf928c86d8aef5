import { defineErrors } from "@kyma-operators/errors";

/** Everything that can be wrong with one Manifest. Texts that other components compare are upstream's. */
export const manifestErrors = defineErrors("MANIFEST", {
  /** A text that should name a container image does not. */
  IMAGE_REFERENCE: {
    retry: "on-change",
    text: (d: { problem: string }) => `invalid docker image reference: ${d.problem}`,
  },
  /** A transform met an object it can't work on. */
  TRANSFORM: { retry: "on-change", text: (d: { problem: string }) => d.problem },
  /** The Secret that a deployer module needs is not usable. */
  INJECTION: {
    retry: "backoff",
    text: (d: { problem: string }) => `inject-data-from-kcp transform failed: ${d.problem}`,
  },
  /** `spec.install.source` is not something that can be installed. */
  SOURCE_INVALID: { retry: "on-change", text: (d: { field: string; problem: string }) => `${d.field}: ${d.problem}` },
  /** A chart repository does not answer as one. */
  SOURCE_UNREACHABLE: { retry: "backoff", text: (d: { url: string; problem: string }) => `${d.url}: ${d.problem}` },
  /** The content behind a source is not what its type promises. */
  CONTENT_INVALID: {
    retry: "on-change",
    text: (d: { source: string; problem: string }) => `${d.source}: ${d.problem}`,
  },
  /** A document of the source is no Kubernetes object. */
  DOCUMENT_INVALID: {
    retry: "on-change",
    text: (d: { source: string; index: number; problem: string }) =>
      `${d.source}: document ${d.index + 1} can't be used: ${d.problem}`,
  },
  /** Two different objects of one source have the same identity. */
  DUPLICATE_OBJECT: {
    retry: "on-change",
    text: (d: { source: string; object: string }) =>
      `${d.source}: ${d.object} is defined twice with different content; keep one of them`,
  },
  /** No access Secret names the remote cluster. */
  ACCESS_SECRET_MISSING: {
    retry: "backoff",
    text: (d: { kyma: string; namespace: string }) =>
      `access secret not found: no Secret in ${d.namespace} has the label operator.kyma-project.io/kyma-name=${d.kyma} or the name ${d.kyma}`,
  },
  /** Two Secrets claim to lead to the same cluster. */
  ACCESS_SECRET_AMBIGUOUS: {
    retry: "backoff",
    text: (d: { kyma: string; secrets: string }) =>
      `more than one secret found for Kyma ${d.kyma}: ${d.secrets}; keep the one that leads to its cluster`,
  },
  /** The access Secret holds no kubeconfig. */
  ACCESS_SECRET_INVALID: {
    retry: "backoff",
    text: (d: { secret: string; key: string }) => `access Secret ${d.secret} has no key ${d.key} with a kubeconfig`,
  },
  /** The Secrets have not been read yet, so a missing one proves nothing. */
  ACCESS_SECRETS_UNKNOWN: {
    retry: "backoff",
    text: (d: { kyma: string }) => `the access Secret of Kyma ${d.kyma} can't be looked up yet`,
  },
  /** The Manifest does not say whose cluster it is for. */
  KYMA_NAME_MISSING: {
    retry: "on-change",
    text: (d: { manifest: string }) =>
      `Manifest ${d.manifest}: spec.remote is true, but the label operator.kyma-project.io/kyma-name that names the access Secret is missing`,
  },
  /** The flag names a Secret that is not there. */
  REGISTRY_SECRET_MISSING: {
    retry: "backoff",
    text: (d: { name: string }) => `no private oci registry auth secret found: ${d.name}`,
  },
  /** A Secret with registry credentials can't be read. */
  REGISTRY_SECRET_INVALID: {
    retry: "on-change",
    text: (d: { secret: string; problem: string }) => `Secret ${d.secret} holds no registry credentials: ${d.problem}`,
  },
  /** No Secret fits the selector of a source. */
  SELECTOR_SECRET_MISSING: {
    retry: "backoff",
    text: (d: { namespace: string; selector: string }) =>
      `no private oci registry auth secret found: no Secret in ${d.namespace} fits ${d.selector}`,
  },
  /** Some objects could not be applied; the others were. */
  APPLY_FAILED: {
    retry: "backoff",
    text: (d: { failed: number; total: number; first: string; problem: string }) =>
      d.failed === 1
        ? `${d.first} could not be applied: ${d.problem}`
        : `${d.first} and ${d.failed - 1} more of ${d.total} objects could not be applied: ${d.problem}`,
  },
  /** Every apply was answered with 401. */
  APPLY_UNAUTHORIZED: { retry: "backoff", text: () => "ServerSideApply is unauthorized" },
  /** Every apply failed because the client certificate is expired. */
  CERTIFICATE_EXPIRED: { retry: "backoff", text: () => "SKR access secret certificate is expired" },
  /** Some objects could not be deleted. */
  DELETE_FAILED: {
    retry: "backoff",
    text: (d: { failed: number; first: string; problem: string }) =>
      d.failed === 1
        ? `${d.first} could not be deleted: ${d.problem}`
        : `${d.first} and ${d.failed - 1} more objects could not be deleted: ${d.problem}`,
  },
  /** A field can't be changed in place and the object does not allow to be replaced. */
  IMMUTABLE: {
    retry: "on-change",
    text: (d: { object: string; problem: string }) =>
      `${d.object} can't be changed in place: ${d.problem}. Label it operator.kyma-project.io/recreate=true in the module to allow deletion and creation, or delete it by hand`,
  },
  /** The parent Kyma does not know this Manifest. */
  ORPHANED: { retry: "backoff", text: (d: { why: string }) => `orphaned manifest detected: ${d.why}` },
  /** The workload that runs the module reports a failure. */
  MANAGER_FAILED: {
    retry: "backoff",
    text: (d: { culprit: string }) => `manager is in error state: ${d.culprit}`,
  },
  /** A hook ended in failure. */
  HOOK_FAILED: {
    retry: "backoff",
    text: (d: { hook: string; phase: string; problem: string }) => `${d.phase} hook ${d.hook} failed: ${d.problem}`,
  },
  /** A migration step ended in failure. */
  MIGRATION_FAILED: {
    retry: "backoff",
    text: (d: { step: string; to: string; problem: string }) =>
      `migration step ${d.step} to version ${d.to} failed: ${d.problem}`,
  },
  /** An annotation of the Manifest that steers us can't be understood. */
  ANNOTATION_INVALID: {
    retry: "on-change",
    text: (d: { annotation: string; problem: string }) => `annotation ${d.annotation}: ${d.problem}`,
  },
  /** Nobody serves the kind of the default module CR. */
  MODULE_CR_KIND: {
    retry: "backoff",
    text: (d: { apiVersion: string; kind: string }) =>
      `the default module CR can't be created: the cluster serves no kind ${d.kind} in ${d.apiVersion}, and the module brings no CustomResourceDefinition for it`,
  },
  /** A list that decides about a deletion failed; guessing could lose data. */
  MODULE_CRS_UNKNOWN: {
    retry: "backoff",
    text: (d: { kind: string }) => `can't tell whether objects of kind ${d.kind} are left, so nothing is deleted`,
  },
});
