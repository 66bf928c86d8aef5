import { defineErrors, redact } from "@kyma-operators/errors";

/** What an API server answered to a request that it did not carry out. */
export interface RequestDetail {
  readonly method: string;
  /** Path without query. */
  readonly path: string;
  readonly status: number;
  /** `reason` of the Status object, for example `AlreadyExists`. */
  readonly reason: string;
  /** `message` of the Status object, redacted and shortened. */
  readonly message: string;
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Kind and name that the Status speaks of; absent when the path itself is unknown. */
  readonly object?: { readonly kind: string; readonly name: string };
  /** Fields at fault, from `details.causes`. */
  readonly causes?: readonly { readonly field: string; readonly message: string; readonly reason: string }[];
}

/** A request that got no answer. */
export interface NoAnswerDetail {
  readonly host: string;
  readonly method: string;
  readonly path: string;
}

const longestMessage = 1024;

/** Redacts and shortens a text from outside. */
export function outsideText(text: string): string {
  const masked = redact(text.slice(0, 4 * longestMessage));
  return masked.length > longestMessage ? `${masked.slice(0, longestMessage)}…` : masked;
}

const answered = (d: RequestDetail): string => `${d.method} ${d.path}: ${d.status} ${d.reason}: ${d.message}`;
const unanswered = (what: string) => (d: NoAnswerDetail) => `${d.method} ${d.path}: ${what} ${d.host}`;

/** Errors of every client, watch and kubeconfig. Callers branch on the code. */
export const kubeErrors = defineErrors("KUBE", {
  /** The object, or its whole kind, does not exist. */
  NOT_FOUND: { retry: "backoff", text: answered },
  /** Somebody else wrote first; read again and retry. */
  CONFLICT: { retry: "backoff", text: answered },
  /** Other field managers own fields of a server-side apply without force; `causes` lists them. */
  APPLY_CONFLICT: { retry: "on-change", text: answered },
  /** There is an object of this name already; use it, or choose another name. */
  ALREADY_EXISTS: { retry: "backoff", text: answered },
  /** The object breaks its schema or an admission rule. */
  INVALID: { retry: "on-change", text: answered },
  /** The server can't read the request. */
  BAD_REQUEST: { retry: "on-change", text: answered },
  /** The server does not know who asks: token or certificate are too old or of another server; get a new kubeconfig. */
  UNAUTHORIZED: { retry: "backoff", text: answered },
  /** The server knows who asks and does not allow it; the message names the missing right. */
  FORBIDDEN: { retry: "backoff", text: answered },
  /** The resource version or continue token is too old; list again. */
  GONE: { retry: "backoff", text: answered },
  /** The server does not offer this verb for this kind. */
  METHOD_NOT_ALLOWED: { retry: "on-change", text: answered },
  /** The server does not take this kind of body, for example a strategic merge patch of a custom resource. */
  UNSUPPORTED_MEDIA_TYPE: { retry: "never", text: answered },
  /** The body we sent is larger than the server takes. */
  REQUEST_TOO_LARGE: { retry: "on-change", text: answered },
  /** The server throttles; `retryAfterMs` says for how long. */
  TOO_MANY_REQUESTS: { retry: "backoff", text: answered },
  /** The server failed (5xx), or answered what no API server answers. */
  SERVER: { retry: "backoff", text: answered },
  /** No complete answer within the deadline, or silence on a watch. */
  TIMEOUT: {
    retry: "backoff",
    text: (d: NoAnswerDetail & { readonly afterMs: number }) =>
      `${d.method} ${d.path}: no answer from ${d.host} within ${d.afterMs} ms`,
  },
  /** No connection, or one that broke; look at address, firewall and whether the server runs. */
  CONNECTION: { retry: "backoff", text: unanswered("no connection to") },
  /** The name of the server can't be resolved; look at the address in the kubeconfig and at DNS. */
  DNS: { retry: "backoff", text: unanswered("can't resolve") },
  /** The server's certificate is not trusted, or the server refused ours; look at the authority in the kubeconfig. */
  TLS: { retry: "backoff", text: unanswered("TLS failed with") },
  /** The answer is larger than we accept. */
  TOO_LARGE: {
    retry: "backoff",
    text: (d: NoAnswerDetail & { readonly limitBytes: number }) =>
      `${d.method} ${d.path}: the answer of ${d.host} is larger than ${d.limitBytes} bytes`,
  },
  /** The answer is not what the Kubernetes API promises. */
  MALFORMED: {
    retry: "backoff",
    text: (d: NoAnswerDetail & { readonly problem: string }) =>
      `${d.method} ${d.path}: ${d.host} sent what is no Kubernetes answer: ${d.problem}`,
  },
  /** The server serves no such kind (yet). */
  NO_MATCH: {
    retry: "backoff",
    text: (d: { readonly host: string; readonly apiVersion: string; readonly kind: string }) =>
      `${d.host} serves no kind ${d.kind} in ${d.apiVersion}; is its CustomResourceDefinition installed?`,
  },
  /** A name that can't stand in a request path. */
  BAD_NAME: {
    retry: "never",
    text: (d: { readonly field: string; readonly kind: string; readonly found: string }) =>
      `${d.kind}: ${d.field} must be one non-empty path segment, found ${JSON.stringify(d.found)}`,
  },
  /** The client was closed before or during the request, mostly because the process ends. */
  CLOSED: { retry: "never", text: (d: { readonly host: string }) => `the client of ${d.host} is closed` },
  /** A kubeconfig that is broken, or that asks for what data may not ask for. */
  KUBECONFIG: {
    retry: "on-change",
    text: (d: { readonly path: string; readonly problem: string }) => `kubeconfig ${d.path}: ${d.problem}`,
  },
  /** The process does not run in a cluster, or its service account is not mounted. */
  NOT_IN_CLUSTER: { retry: "never", text: (d: { readonly problem: string }) => `not in a cluster: ${d.problem}` },
});
