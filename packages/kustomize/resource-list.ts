import type { Budget } from "./budget.ts";
import { kustomizeErrors } from "./errors.ts";
import { equalIds, formatId, idKey, type ResId } from "./ids.ts";
import type { Resource } from "./resource.ts";

/** Objects in the order in which they were added; no two have the same identity at the same time. */
export class ResourceList {
  readonly budget: Budget;
  readonly #items = new Set<Resource>();
  #index: Index | undefined;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  /** All objects, free to be changed; each costs `steps` of the budget. */
  all(steps = 1): readonly Resource[] {
    this.budget.spend(this.#items.size * steps);
    this.#index = undefined;
    return [...this.#items];
  }

  /** Adds objects that `file` brings. Throws `KUSTOMIZE_DUPLICATE_ID`. */
  addAll(resources: readonly Resource[], file: string): void {
    this.budget.spend(resources.length);
    for (const resource of resources) {
      const { id } = resource;
      if (this.withAnyId(id).some((item) => equalIds(item.id, id))) {
        throw kustomizeErrors.DUPLICATE_ID({ file, id: formatId(id) });
      }
      this.#items.add(resource);
      for (const own of resource.ids) this.#indexed().add(own, resource);
    }
  }

  remove(resource: Resource): void {
    this.#items.delete(resource);
  }

  /** To be told of every change of one object that may have given it another identity. */
  changed(resource: Resource): void {
    this.#index?.add(resource.id, resource);
  }

  /** Those that have the identity now or had it before. */
  withAnyId(id: ResId): readonly Resource[] {
    return this.#present(this.#indexed().byId.get(idKey(id)));
  }

  /** Those that have the name now or had it before. */
  named(name: string): readonly Resource[] {
    return this.#present(this.#indexed().byName.get(name));
  }

  #present(found: ReadonlySet<Resource> = new Set()): readonly Resource[] {
    this.budget.spend(found.size);
    return [...found].filter((resource) => this.#items.has(resource));
  }

  #indexed(): Index {
    this.#index ??= new Index(this.#items);
    return this.#index;
  }
}

/** Objects by all they ever were called. */
class Index {
  readonly byId = new Map<string, Set<Resource>>();
  readonly byName = new Map<string, Set<Resource>>();

  constructor(resources: Iterable<Resource>) {
    for (const resource of resources) for (const id of resource.ids) this.add(id, resource);
  }

  add(id: ResId, resource: Resource): void {
    put(this.byId, idKey(id), resource);
    put(this.byName, id.name, resource);
  }
}

function put(index: Map<string, Set<Resource>>, key: string, resource: Resource): void {
  const found = index.get(key);
  if (found === undefined) index.set(key, new Set([resource]));
  else found.add(resource);
}
