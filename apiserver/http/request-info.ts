/** What a request is about, read from method, path and query. */
export interface RequestInfo {
  readonly verb: string;
  /** Absent for paths like `/version`. */
  readonly target: ResourceTarget | undefined;
}

export interface ResourceTarget {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  /** Empty for the object itself; may hold slashes (`proxy/metrics`). */
  readonly subresource: string;
}

const namespaceSubresources = new Set(["status", "finalize"]);
const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };

/** Reads what a request is about. Throws `URIError` when the path is not percent-encoded UTF-8. */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = path
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
  const target = parseTarget(parts);
  return { verb: target === undefined ? method.toLowerCase() : verbFor(method, query, target), target };
}

function parseTarget(parts: readonly string[]): ResourceTarget | undefined {
  if (parts[0] === "api" && parts.length > 2) return parseResource("", parts[1] ?? "", parts.slice(2));
  if (parts[0] === "apis" && parts.length > 3) return parseResource(parts[1] ?? "", parts[2] ?? "", parts.slice(3));
  return undefined;
}

function parseResource(group: string, version: string, parts: readonly string[]): ResourceTarget {
  const namespace = parts[0] === "namespaces" ? (parts[1] ?? "") : "";
  const inside = parts[0] === "namespaces" && parts.length > 2 && !namespaceSubresources.has(parts[2] ?? "");
  const [resource = "", name = "", ...subresource] = inside ? parts.slice(2) : parts;
  return { group, version, namespace, resource, name, subresource: subresource.join("/") };
}

function verbFor(method: string, query: URLSearchParams, target: ResourceTarget): string {
  if (method === "GET") {
    if (target.name !== "") return "get";
    return isTrue(query.get("watch")) ? "watch" : "list";
  }
  if (method === "DELETE") return target.name === "" ? "deletecollection" : "delete";
  return verbs[method] ?? method.toLowerCase();
}

/** A boolean of the query: `watch=1`, `watch=true` and `watch` are true. */
export function isTrue(value: string | null): boolean {
  return value !== null && !["0", "false", "f", "F", "FALSE", "False"].includes(value);
}
