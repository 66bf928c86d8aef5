import type { ModuleReleaseMeta } from "../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../apis/operator/module-template.ts";

/** The module catalog as one namespace shows it: lookups by object name. */
export interface CatalogView {
  releaseMeta(name: string): ModuleReleaseMeta | undefined;
  template(name: string): ModuleTemplate | undefined;
  /** Names of all ModuleReleaseMetas, for suggestions. */
  moduleNames(): readonly string[];
}

/** A view over lists, for a namespace. */
export function catalogView(
  namespace: string,
  metas: readonly ModuleReleaseMeta[],
  templates: readonly ModuleTemplate[],
): CatalogView {
  const metaByName = byName(namespace, metas);
  const templateByName = byName(namespace, templates);
  return {
    releaseMeta: (name) => metaByName.get(name),
    template: (name) => templateByName.get(name),
    moduleNames: () => [...metaByName.keys()],
  };
}

interface Named {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

function byName<T extends Named>(namespace: string, objects: readonly T[]): ReadonlyMap<string, T> {
  const own = objects.filter(({ metadata }) => metadata.namespace === namespace);
  return new Map(own.map((object) => [object.metadata.name ?? "", object]));
}
