/** The parts of an AdmissionReview that the agent reads. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly subResource?: string;
  readonly operation: string;
  readonly name: string;
  readonly namespace: string;
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly dryRun: boolean;
}

/** What an event says: which object has changed. The capital letters are part of the contract. */
export interface ChangeEvent {
  readonly watched: { readonly Namespace: string; readonly Name: string };
  readonly watchedGvk: { readonly group: string; readonly version: string; readonly kind: string };
}

/** Reads an AdmissionReview; undefined for anything else. */
export function parseReview(text: string): AdmissionRequest | undefined {
  const request = fields(fields(parsed(text))["request"]);
  const kind = fields(request["kind"]);
  const uid = textAt(request, "uid");
  if (uid === "") return undefined;
  const subResource = textAt(request, "subResource");
  return {
    uid,
    kind: { group: textAt(kind, "group"), version: textAt(kind, "version"), kind: textAt(kind, "kind") },
    ...(subResource === "" ? {} : { subResource }),
    operation: textAt(request, "operation"),
    name: textAt(request, "name"),
    namespace: textAt(request, "namespace"),
    object: request["object"],
    oldObject: request["oldObject"],
    dryRun: request["dryRun"] === true,
  };
}

/** The answer to every review: yes. An agent reports, it never decides. */
export function allow({ uid }: AdmissionRequest): object {
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, allowed: true } };
}

/**
 * The event that a request is worth: a creation, a deletion, or a change of the spec (of the status, for its
 * subresource). A dry run changes nothing and is worth none.
 */
export function eventFor(request: AdmissionRequest): ChangeEvent | undefined {
  if (request.dryRun) return undefined;
  const field = request.subResource === "status" ? "status" : "spec";
  const [old, next] = [fields(request.oldObject)[field], fields(request.object)[field]];
  const isUpdate = request.operation === "UPDATE";
  if (isUpdate && JSON.stringify(sorted(old)) === JSON.stringify(sorted(next))) return undefined;
  const { name, namespace } = identityOf(request);
  return { watched: { Namespace: namespace, Name: name }, watchedGvk: request.kind };
}

/** An object that is being created by a generated name has none in the request yet. */
function identityOf({ name, namespace, object }: AdmissionRequest): {
  readonly name: string;
  readonly namespace: string;
} {
  const metadata = fields(fields(object)["metadata"]);
  return { name: name || textAt(metadata, "name"), namespace: namespace || textAt(metadata, "namespace") };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function textAt(record: Readonly<Record<string, unknown>>, key: string): string {
  const value = record[key];
  return typeof value === "string" ? value : "";
}
