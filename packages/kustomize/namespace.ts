import { stepsFor } from "./budget.ts";
import { kustomizeErrors } from "./errors.ts";
import { changeField } from "./field-path.ts";
import { namespaceFields } from "./field-specs.ts";
import { formatId, idKey, isClusterScoped } from "./ids.ts";
import { isFields } from "./json.ts";
import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";

/**
 * Moves all objects into a namespace. Cluster-scoped kinds stay out of it; an object of kind Namespace is renamed.
 *
 * Throws `KUSTOMIZE_TRANSFORM` when two objects become one.
 */
export function setNamespace(list: ResourceList, namespace: string): void {
  if (namespace === "") return;
  const resources = list.all(stepsFor(namespace));
  const change = { set: () => namespace, make: "scalar", budget: list.budget } as const;
  for (const resource of resources) {
    resource.rememberId();
    if (!isClusterScoped(resource.gvk)) resource.namespace = namespace;
    else if (isNamespace(resource)) resource.name = namespace;
    setDefaultSubjects(resource, namespace);
    for (const field of namespaceFields) changeField(resource, field, change);
  }
  refuseConflict(resources);
}

function refuseConflict(resources: readonly Resource[]): void {
  const seen = new Set<string>();
  for (const { id } of resources) {
    const key = idKey(id);
    if (seen.has(key)) {
      const problem = `namespace transformation produces ID conflict: ${formatId(id)}`;
      throw kustomizeErrors.TRANSFORM({ what: "namespace", problem });
    }
    seen.add(key);
  }
}

function isNamespace({ gvk, kind }: Resource): boolean {
  return kind === "Namespace" && gvk.group === "" && gvk.version === "v1";
}

/** The ServiceAccount `default` exists in every namespace; other accounts are followed as references. */
function setDefaultSubjects(resource: Resource, namespace: string): void {
  if (resource.kind !== "RoleBinding" && resource.kind !== "ClusterRoleBinding") return;
  const { subjects } = resource.fields;
  if (!Array.isArray(subjects)) return;
  for (const subject of subjects.filter(isFields)) {
    if (subject["kind"] === "ServiceAccount" && subject["name"] === "default") subject["namespace"] = namespace;
  }
}
