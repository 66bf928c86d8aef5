import { hasCode } from "@kyma-operators/errors";
import type { AnyObject, Client, ObjectRef, Resource } from "@kyma-operators/kube";
import { kinds } from "../apis/operator/group.ts";

const core = (kind: string, plural: string): Resource => ({ group: "", version: "v1", kind, plural, namespaced: true });

export const secrets = core("Secret", "secrets");
export const pods = core("Pod", "pods");
export const configMaps = core("ConfigMap", "configmaps");
export const nodes: Resource = { ...core("Node", "nodes"), namespaced: false };
export const deployments: Resource = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};
export const clusterRoleBindings: Resource = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  namespaced: false,
};
export const crds: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

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
