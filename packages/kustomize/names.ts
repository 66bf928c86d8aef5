import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";

/** Kinds whose name means something to others, so that no prefix or suffix is put on it. */
function keepsName({ kind, gvk }: Resource): boolean {
  return (
    kind === "CustomResourceDefinition" ||
    kind === "Namespace" ||
    (kind === "APIService" && gvk.group === "apiregistration.k8s.io")
  );
}

/** Puts the prefix of a layer on all names; the layers' prefixes are remembered, references are told apart by them. */
export function addPrefix(list: ResourceList, prefix: string): void {
  if (prefix === "") return;
  for (const resource of list.all()) {
    if (keepsName(resource)) continue;
    resource.prefixes.push(prefix);
    resource.rememberId();
    resource.name = `${prefix}${resource.name}`;
    list.budget.spendBytes(resource.name.length);
  }
}

/** As {@link addPrefix}, at the other end. */
export function addSuffix(list: ResourceList, suffix: string): void {
  if (suffix === "") return;
  for (const resource of list.all()) {
    if (keepsName(resource)) continue;
    resource.suffixes.push(suffix);
    resource.rememberId();
    resource.name = `${resource.name}${suffix}`;
    list.budget.spendBytes(resource.name.length);
  }
}
