/** Group, versions and REST names of the kinds in this folder. */
export const group = "operator.kyma-project.io";
export const version = "v1beta2";
/** `apiVersion` of every object of this group that we write. */
export const apiVersion = `${group}/${version}`;

const kindOf = <K extends string>(kind: K, plural: string) =>
  ({ group, version, kind, plural, namespaced: true }) as const;

export const kymas = kindOf("Kyma", "kymas");
export const manifests = kindOf("Manifest", "manifests");
export const moduleTemplates = kindOf("ModuleTemplate", "moduletemplates");
export const moduleReleaseMetas = kindOf("ModuleReleaseMeta", "modulereleasemetas");
export const watchers = kindOf("Watcher", "watchers");

/** All kinds of the group, in the order in which their CRDs are installed. */
export const kinds = [kymas, manifests, moduleTemplates, moduleReleaseMetas, watchers] as const;

/** Name of the CRD object of a kind. */
export function crdName(kind: { readonly plural: string; readonly group: string }): string {
  return `${kind.plural}.${kind.group}`;
}
