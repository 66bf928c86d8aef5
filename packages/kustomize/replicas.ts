import { kustomizeErrors } from "./errors.ts";
import { changeField } from "./field-path.ts";
import { replicaFields } from "./field-specs.ts";
import { isSelected } from "./ids.ts";
import type { ResourceList } from "./resource-list.ts";

/** Sets the replica count of every workload that has, or had, the name. Throws when there is none. */
export function setReplicas(
  list: ResourceList,
  { name, count }: { readonly name: string; readonly count: number },
): void {
  const resources = list.named(name);
  let found = false;
  for (const field of replicaFields) {
    for (const resource of resources) {
      if (!resource.ids.some((id) => id.name === name && isSelected(id, field))) continue;
      found = true;
      changeField(resource, field, { set: () => count, make: "scalar", budget: list.budget });
    }
  }
  if (found) return;
  const kinds = replicaFields.map(({ kind }) => kind).join(", ");
  const problem = `resource with name ${name} does not match a config with the following kinds: ${kinds}`;
  throw kustomizeErrors.TRANSFORM({ what: "replicas", problem });
}
