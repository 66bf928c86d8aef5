import { kustomizeErrors } from "./errors.ts";
import { equalIds, formatId, idKey, type ResId } from "./ids.ts";
import type { Resource } from "./resource.ts";

/** Objects in the order in which they were added; no two have the same identity at the same time. */
export class ResourceList {
  #items: Resource[] = [];

  get items(): readonly Resource[] {
    return this.#items;
  }

  /** Adds objects that `file` brings. Throws `KUSTOMIZE_DUPLICATE_ID`. */
  addAll(resources: readonly Resource[], file: string): void {
    const known = new Set(this.#items.map(({ id }) => idKey(id)));
    for (const resource of resources) {
      const key = idKey(resource.id);
      if (known.has(key)) throw kustomizeErrors.DUPLICATE_ID({ file, id: formatId(resource.id) });
      known.add(key);
      this.#items.push(resource);
    }
  }

  replace(old: Resource, replacement: Resource): void {
    this.#items = this.#items.map((item) => (item === old ? replacement : item));
  }

  remove(resource: Resource): void {
    this.#items = this.#items.filter((item) => item !== resource);
  }

  /** Those that have the identity now or had it before. */
  withAnyId(id: ResId): readonly Resource[] {
    return this.#items.filter((item) => item.ids.some((own) => equalIds(own, id)));
  }
}
