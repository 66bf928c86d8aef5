import { defineErrors } from "@kyma-operators/errors";

/** Errors of the manager, its controllers and the remote cluster pool. */
export const runtimeErrors = defineErrors("RUNTIME", {
  /** The lease is not (or no longer) ours: nothing may be written. */
  LEASE_LOST: {
    retry: "backoff",
    text: (d: { readonly lease: string }) => `the lease ${d.lease} is not held, so nothing is written`,
  },
  /** The manager is stopping. */
  STOPPED: { retry: "backoff", text: (d: { readonly what: string }) => `${d.what} is stopping` },
  /** A pass took longer than its controller allows. */
  PASS_TIMEOUT: {
    retry: "backoff",
    text: (d: { readonly controller: string; readonly afterMs: number }) =>
      `the pass of ${d.controller} was aborted after ${d.afterMs} ms`,
  },
  /** The informers have not seen our last writes in time, so a pass would act on old state. */
  BEHIND: {
    retry: "backoff",
    text: (d: { readonly kinds: readonly string[]; readonly afterMs: number }) =>
      `the watch of ${d.kinds.join(", ")} has not shown our own writes within ${d.afterMs} ms`,
  },
  /** Somebody else changed the object since it was read. */
  CHANGED: {
    retry: "backoff",
    text: (d: { readonly kind: string; readonly key: string }) => `${d.kind} ${d.key} has changed since it was read`,
  },
  /** A controller was wired to a lease group that the manager was not given. */
  UNKNOWN_GROUP: {
    retry: "never",
    text: (d: { readonly lease: string; readonly known: readonly string[] }) =>
      `the manager has no lease group ${d.lease}; it has ${d.known.join(", ") || "none"}`,
  },
  /** A lookup by an index that nobody has added to the informer. */
  UNKNOWN_INDEX: {
    retry: "never",
    text: (d: { readonly index: string; readonly kind: string; readonly known: readonly string[] }) =>
      `the informer of ${d.kind} has no index ${d.index}; it has ${d.known.join(", ") || "none"}`,
  },
  /** One name for two index functions: whoever asked second would get the answers of the first. */
  INDEX_EXISTS: {
    retry: "never",
    text: (d: { readonly index: string; readonly kind: string }) =>
      `the informer of ${d.kind} has another index named ${d.index}; share the function or choose another name`,
  },
  /** Two controllers, runnables or metrics of one name. */
  NAME_TAKEN: {
    retry: "never",
    text: (d: { readonly what: string; readonly name: string }) => `there is already a ${d.what} named ${d.name}`,
  },
  /** The rate budget of the cluster is used up, or the cluster asked us to wait. */
  CLUSTER_BUSY: {
    retry: "backoff",
    text: (d: { readonly cluster: string; readonly retryAfterMs: number }) =>
      `cluster ${d.cluster} has had its share of requests; it is asked again in ${Math.ceil(d.retryAfterMs / 1000)} s`,
  },
  /** Repeated connection failures: the cluster is left alone for a while. */
  CLUSTER_DOWN: {
    retry: "backoff",
    text: (d: { readonly cluster: string; readonly retryAfterMs: number }) =>
      `cluster ${d.cluster} does not answer; it is asked again in ${Math.ceil(d.retryAfterMs / 1000)} s`,
  },
});
