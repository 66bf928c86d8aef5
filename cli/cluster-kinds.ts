import { hasCode } from "@kyma-operators/errors";
import { type AnyObject, type Client, type ObjectRef, type Resource } from "@kyma-operators/kube";
import { kinds } from "../apis/operator/group.ts";

/** The REST collection of an object. Our own kinds are known before their CRDs are. Throws `KUBE_NO_MATCH`. */
export async function resourceOf(client: Client, { apiVersion, kind }: AnyObject): Promise<Resource> {
  const own = kinds.find((known) => known.kind === kind && `${known.group}/${known.version}` === apiVersion);
  return own ?? client.resourceFor(apiVersion, kind);
}

export function refTo(resource: Resource, { metadata }: AnyObject): ObjectRef {
  const { namespace, name = "" } = metadata;
  return { resource, name, ...(resource.namespaced && namespace !== undefined ? { namespace } : {}) };
}

/** `Kind namespace/name`, as messages show it. */
export function nameOfObject({ kind, metadata }: AnyObject): string {
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name ?? ""}`;
}

const unknownCodes: readonly string[] = ["KUBE_NOT_FOUND", "KUBE_NO_MATCH"];

/** The answer, or undefined when the cluster does not know the kind. */
export async function unlessUnknown<T>(answer: Promise<T>): Promise<T | undefined> {
  return unless(unknownCodes, answer);
}

/** The answer, or undefined when the cluster does not know the kind, or hides it from the user. */
export async function unlessHidden<T>(answer: Promise<T>): Promise<T | undefined> {
  return unless([...unknownCodes, "KUBE_FORBIDDEN"], answer);
}

async function unless<T>(codes: readonly string[], answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (codes.some((code) => hasCode(error, code))) return undefined;
    throw error;
  }
}
