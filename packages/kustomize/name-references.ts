import type { Budget } from "./budget.ts";
import { changeField } from "./field-path.ts";
import { effectiveNamespace, type Gvk, isClusterScoped, isSelected } from "./ids.ts";
import { type Fields, isFields, isScalar, scalarText, valueAt } from "./json.ts";
import { referenceFields } from "./reference-fields.ts";
import type { Resource } from "./resource.ts";

/**
 * Lets references follow objects that were renamed or moved. A reference may use any name the object ever had; one that
 * could mean several objects stays as it is.
 *
 * @param budget - pays for every object that a reference could mean.
 */
export function fixReferences(resources: readonly Resource[], budget: Budget): void {
  const renamed = resources.filter((resource) => resource.previousIds.length > 0);
  if (renamed.length === 0) return;
  const byName = new OldNames(renamed, { all: resources, budget });
  // What can be meant at all is found once for each kind of target: most objects refer to none of them.
  const references = referenceFields
    .map(({ target, fields }) => ({ targets: new Set(renamed.filter(({ ids }) => isAny(ids, target))), fields }))
    .filter(({ targets }) => targets.size > 0);
  for (const referrer of resources) {
    const { originalId } = referrer;
    const find = byName.seenFrom(referrer);
    for (const { targets, fields } of references) {
      for (const { path } of fields.filter((field) => isSelected(originalId, field))) {
        const isRole = rolesFor(referrer, path);
        const candidates: Candidates = (name, namespace) =>
          find(name, namespace).filter((candidate) => targets.has(candidate) && isRole(candidate));
        // The kind may have been changed since; the path is still that of the kind it was loaded with.
        changeField(referrer, { path }, { set: (value) => follow(value, { referrer, candidates }), budget });
      }
    }
  }
}

const isAny = (ids: readonly Gvk[], target: Partial<Gvk>): boolean => ids.some((id) => isSelected(id, target));

/** Objects that may be meant by a name they had and, if the reference says one, the namespace they were or are in. */
type Candidates = (name: string, namespace: unknown) => readonly Resource[];

/** Renamed objects by the names they had and the namespace they are in. */
class OldNames {
  readonly #byName = new Map<string, Map<string, Set<Resource>>>();
  /** Where the objects of a namespace are now. */
  readonly #movedTo = new Map<string, Set<string>>();
  readonly #budget: Budget;

  constructor(renamed: readonly Resource[], { all, budget }: { all: readonly Resource[]; budget: Budget }) {
    this.#budget = budget;
    for (const { originalId, id } of all) {
      const origin = effectiveNamespace(originalId);
      this.#movedTo.set(origin, (this.#movedTo.get(origin) ?? new Set()).add(effectiveNamespace(id)));
    }
    for (const resource of renamed) {
      const namespace = effectiveNamespace(resource.id);
      for (const { name } of resource.previousIds) this.#add(name, namespace, resource);
    }
  }

  #add(name: string, namespace: string, resource: Resource): void {
    const byNamespace = this.#byName.get(name) ?? new Map<string, Set<Resource>>();
    this.#byName.set(name, byNamespace);
    byNamespace.set(namespace, (byNamespace.get(namespace) ?? new Set()).add(resource));
  }

  /** Finds the objects a referrer may mean at all: those of its own namespace, and everything outside namespaces. */
  seenFrom(referrer: Resource): Candidates {
    const namespaces = new Set(["", effectiveNamespace(referrer.id), ...subjectNamespaces(referrer)]);
    const isAnywhere = isClusterScoped(referrer.gvk);
    return (name, namespace) => {
      const byNamespace = this.#byName.get(name);
      if (byNamespace === undefined) return [];
      const sets = isAnywhere ? [...byNamespace.values()] : [...namespaces].map((key) => byNamespace.get(key) ?? []);
      const found = sets.flatMap((set) => [...set]);
      this.#budget.spend(sets.length + found.length);
      if (namespace === undefined) return found;
      const wanted = scalarText(namespace);
      const now = [...(this.#movedTo.get(wanted) ?? [])];
      const wasUsed = isAnywhere ? now.length > 0 : now.some((place) => namespaces.has(place));
      return found.filter(({ originalId, id }) => effectiveNamespace(wasUsed ? originalId : id) === wanted);
    };
  }
}

interface Search {
  readonly referrer: Resource;
  readonly candidates: Candidates;
}

function follow(value: unknown, search: Search): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => follow(item, search));
  if (isFields(value)) return followFields(value, search);
  if (value === null || !isScalar(value)) return value;
  const name = scalarText(value);
  return select(search.candidates(name, undefined), search.referrer, sameNames)?.name ?? value;
}

/** A reference with a name and a namespace of its own: both follow. */
function followFields(value: Fields, search: Search): Fields {
  const name = scalarText(value["name"]);
  if (name === "") return value;
  const candidates = search.candidates(name, value["namespace"]);
  const found = select(candidates, search.referrer, sameNamesAndNamespaces);
  if (found === undefined) return value;
  value["name"] = found.name;
  if (found.namespace !== "") value["namespace"] = found.namespace;
  return value;
}

/** @param identical - true when it makes no difference which of several objects is meant. */
function select(
  candidates: readonly Resource[],
  referrer: Resource,
  identical: (candidates: readonly Resource[]) => boolean,
): Resource | undefined {
  const near = candidates.filter((candidate) => isNear(referrer, candidate));
  if (near.length === 1) return near[0];
  const related = near.filter((candidate) => sharesAffixes(referrer, candidate));
  return related.length === 1 || (related.length > 1 && identical(related)) ? related[0] : undefined;
}

/** Namespaces that the subjects of a binding name: it may refer to accounts elsewhere. */
function subjectNamespaces({ fields, kind }: Resource): ReadonlySet<string> {
  const { subjects } = fields;
  if (kind !== "RoleBinding" || !Array.isArray(subjects)) return new Set();
  return new Set(subjects.filter(isFields).map((subject) => scalarText(subject["namespace"])));
}

function isNear(referrer: Resource, candidate: Resource): boolean {
  if (isClusterScoped(referrer.gvk) || isClusterScoped(candidate.gvk)) return true;
  return candidate.kind === "ServiceAccount" || effectiveNamespace(referrer.id) === effectiveNamespace(candidate.id);
}

/** Both went through the same outer layers. */
function sharesAffixes(a: Resource, b: Resource): boolean {
  return sameEnding(a.prefixes, b.prefixes) && sameEnding(a.suffixes, b.suffixes);
}

function sameEnding(a: readonly string[], b: readonly string[]): boolean {
  const length = Math.min(a.length, b.length);
  if (length === 0) return a.length === b.length;
  return a.slice(-length).every((entry, index) => entry === b.slice(-length)[index]);
}

function sameNames(candidates: readonly Resource[]): boolean {
  return candidates.every(({ name }) => name === candidates[0]?.name);
}

function sameNamesAndNamespaces(candidates: readonly Resource[]): boolean {
  return sameNames(candidates) && candidates.every(({ namespace }) => namespace === candidates[0]?.namespace);
}

/** A role reference says itself which kind of role it means. */
function rolesFor(referrer: Resource, path: string): (candidate: Resource) => boolean {
  if (!path.endsWith("roleRef/name")) return () => true;
  const role: Partial<Gvk> = {
    group: scalarText(valueAt(referrer.fields, "roleRef", "apiGroup")),
    kind: scalarText(valueAt(referrer.fields, "roleRef", "kind")),
  };
  return ({ ids }) => isAny(ids, role);
}
