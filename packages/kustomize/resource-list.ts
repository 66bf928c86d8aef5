import { kustomizeErrors } from "./errors.ts";
import { equalIds, formatId, type ResId } from "./ids.ts";
import type { Resource } from "./resource.ts";

/** Objects in the order in which they were added; no two have the same identity at the same time. */
export class ResourceList {
  #items: Resource[] = [];

  get items(): readonly Resource[] {
    return this.#items;
  }

  /** Throws `KUSTOMIZE_DUPLICATE_ID`. */
  add(resource: Resource): void {
    if (this.#items.some((item) => equalIds(item.id, resource.id))) {
      throw kustomizeErrors.DUPLICATE_ID({ id: formatId(resource.id) });
    }
    this.#items.push(resource);
  }

  addAll(resources: readonly Resource[]): void {
    for (const resource of resources) this.add(resource);
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

  withCurrentId(id: ResId): readonly Resource[] {
    return this.#items.filter((item) => equalIds(item.id, id));
  }
}
