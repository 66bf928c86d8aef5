import { hasCode } from "@kyma-operators/errors";
import type { ListOptions, ObjectList } from "./client-types.ts";
import { kubeErrors } from "./errors.ts";
import { apiVersionOf, collectionPath, listQuery } from "./paths.ts";
import type { Call, Requester } from "./requester.ts";
import type { KubeObject, Resource } from "./types.ts";

const pageSize = 500;
/** All pages of one list together; what is larger can't be held in memory anyway. */
const listLimitBytes = 1024 * 1024 * 1024;

/** What {@link ListOptions.metadataOnly} asks for. */
export const metadataListType = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/**
 * All pages of a collection as one list.
 *
 * When the continue token expires between two pages (`KUBE_GONE`), the list starts again without pages, because the
 * pages read so far belong to a version that the server has forgotten.
 */
export async function listAll<T extends KubeObject>(
  requester: Requester,
  resource: Resource,
  options: ListOptions,
): Promise<ObjectList<T>> {
  try {
    return await listPages<T>(requester, resource, { limit: pageSize, ...options });
  } catch (error) {
    if (!hasCode(error, "KUBE_GONE")) throw error;
    return listPages<T>(requester, resource, { ...options, limit: 0 });
  }
}

async function listPages<T extends KubeObject>(
  requester: Requester,
  resource: Resource,
  options: ListOptions,
): Promise<ObjectList<T>> {
  const items: T[] = [];
  const limit = options.limit === 0 ? {} : { limit: options.limit ?? pageSize };
  let token: string | undefined;
  let bytes = 0;
  for (;;) {
    const path = collectionPath(resource, options.namespace) + listQuery(options, { ...limit, ...tokenPart(token) });
    const call: Call = { method: "GET", path, ...acceptFor(options), ...callPart(options) };
    const reply = await requester.text(call);
    bytes += reply.bytes;
    if (bytes > listLimitBytes) throw kubeErrors.TOO_LARGE({ ...requester.detailOf(call), limitBytes: listLimitBytes });
    const page = readPage<T>(requester, call, requester.parse(call, reply));
    for (const item of page.items) items.push(asKind(item, resource));
    if (page.token === "") return { resourceVersion: page.resourceVersion, items };
    token = page.token;
  }
}

const tokenPart = (token: string | undefined): { continue?: string } =>
  token === undefined ? {} : { continue: token };

function acceptFor(options: ListOptions): { accept?: string } {
  return options.metadataOnly === true ? { accept: metadataListType } : {};
}

function callPart({ signal, timeoutMs }: ListOptions): Pick<Call, "signal" | "timeoutMs"> {
  return { ...(signal === undefined ? {} : { signal }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

interface Page<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly token: string;
}

function readPage<T>(requester: Requester, call: Call, list: Record<string, unknown>): Page<T> {
  const { metadata, items } = list;
  // Go servers write an empty list of some types as null.
  const all = items ?? [];
  if (!Array.isArray(all) || !all.every(isObject)) {
    throw kubeErrors.MALFORMED({ ...requester.detailOf(call), problem: "a list whose items are no objects" });
  }
  const fields = (typeof metadata === "object" && metadata !== null ? metadata : {}) as Record<string, unknown>;
  const { resourceVersion, continue: token } = fields;
  return {
    items: all as unknown as readonly T[],
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
    token: typeof token === "string" ? token : "",
  };
}

/** What every object has; all else is for those who know the kind. */
export function isObject(value: unknown): value is KubeObject {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return false;
  return typeof value.metadata === "object" && value.metadata !== null;
}

/** Items of built-in lists come without kind, those of metadata lists with a kind of their own. */
export function asKind<T extends KubeObject>(object: T, resource: Resource): T {
  if (object.kind === resource.kind) return object;
  object.apiVersion = apiVersionOf(resource);
  object.kind = resource.kind;
  return object;
}
