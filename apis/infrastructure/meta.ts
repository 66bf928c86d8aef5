/** A JSON object whose fields are not ours to know, for example a provider configuration. */
export type JsonObject = { readonly [key: string]: unknown };

/** The part of `metadata` that these kinds use. Times are RFC 3339 texts. */
export interface Metadata {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
}

/** A condition as Kubernetes defines it; `lastTransitionTime` moves only with `status`. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
