import { changeField, type FieldPath } from "./field-path.ts";
import { effectiveNamespace, type Gvk, isClusterScoped, isSelected } from "./ids.ts";
import { type Fields, isFields, isScalar, scalarText, valueAt } from "./json.ts";
import { referenceFields } from "./reference-fields.ts";
import type { Resource } from "./resource.ts";

/**
 * Lets references follow objects that were renamed or moved. A reference may use any name the object ever had; one that
 * could mean several objects stays as it is.
 */
export function fixReferences(resources: readonly Resource[]): void {
  const renamed = resources.filter((resource) => resource.previousIds.length > 0);
  if (renamed.length === 0) return;
  // What can be meant at all is found once for each kind of target: most objects refer to none of them.
  const references = referenceFields
    .map(({ target, fields }) => ({ targets: new Set(renamed.filter(({ ids }) => isAny(ids, target))), fields }))
    .filter(({ targets }) => targets.size > 0);
  for (const referrer of resources) {
    const { originalId } = referrer;
    let candidates: readonly Resource[] | undefined;
    for (const { targets, fields } of references) {
      const own = fields.filter((field) => isSelected(originalId, field));
      if (own.length === 0) continue;
      candidates ??= candidatesFor(referrer, renamed);
      const possible = candidates.filter((candidate) => targets.has(candidate));
      if (possible.length > 0) fixFields(referrer, own, possible);
    }
  }
}

const isAny = (ids: readonly Gvk[], target: Partial<Gvk>): boolean => ids.some((id) => isSelected(id, target));

function fixFields(referrer: Resource, fields: readonly FieldPath[], possible: readonly Resource[]): void {
  for (const field of fields) {
    const search = { referrer, candidates: withRole(referrer, field.path, possible) };
    // The kind may have been changed since; the path is still that of the kind it was loaded with.
    changeField(referrer, { path: field.path }, { set: (value) => follow(value, search) });
  }
}

interface Search {
  readonly referrer: Resource;
  readonly candidates: readonly Resource[];
}

function follow(value: unknown, search: Search): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => follow(item, search));
  if (isFields(value)) return followFields(value, search);
  if (value === null || !isScalar(value)) return value;
  const name = scalarText(value);
  return select(name, search, sameNames)?.name ?? value;
}

/** A reference with a name and a namespace of its own: both follow. */
function followFields(value: Fields, search: Search): Fields {
  const name = scalarText(value["name"]);
  if (name === "") return value;
  const candidates = inNamespace(value["namespace"], search.candidates);
  const found = select(name, { ...search, candidates }, sameNamesAndNamespaces);
  if (found === undefined) return value;
  value["name"] = found.name;
  if (found.namespace !== "") value["namespace"] = found.namespace;
  return value;
}

function inNamespace(namespace: unknown, candidates: readonly Resource[]): readonly Resource[] {
  if (namespace === undefined) return candidates;
  const wanted = scalarText(namespace);
  const original = candidates.filter(({ originalId }) => effectiveNamespace(originalId) === wanted);
  return original.length > 0 ? original : candidates.filter(({ id }) => effectiveNamespace(id) === wanted);
}

function select(
  name: string,
  { referrer, candidates }: Search,
  identical: (candidates: readonly Resource[]) => boolean,
): Resource | undefined {
  const named = candidates.filter((candidate) => candidate.previousIds.some((id) => id.name === name));
  const near = named.filter((candidate) => isNear(referrer, candidate));
  if (near.length === 1) return near[0];
  const related = near.filter((candidate) => sharesAffixes(referrer, candidate));
  return related.length === 1 || (related.length > 1 && identical(related)) ? related[0] : undefined;
}

/** Objects a referrer may mean at all: those of its own namespace, and everything outside namespaces. */
function candidatesFor(referrer: Resource, renamed: readonly Resource[]): readonly Resource[] {
  if (isClusterScoped(referrer.gvk)) return renamed;
  const own = effectiveNamespace(referrer.id);
  const subjects = subjectNamespaces(referrer);
  return renamed.filter((candidate) => {
    const namespace = effectiveNamespace(candidate.id);
    return isClusterScoped(candidate.gvk) || namespace === own || subjects.has(candidate.namespace);
  });
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
function withRole(referrer: Resource, path: string, candidates: readonly Resource[]): readonly Resource[] {
  if (!path.endsWith("roleRef/name")) return candidates;
  const role: Partial<Gvk> = {
    group: scalarText(valueAt(referrer.fields, "roleRef", "apiGroup")),
    kind: scalarText(valueAt(referrer.fields, "roleRef", "kind")),
  };
  return candidates.filter((candidate) => candidate.ids.some((id) => isSelected(id, role)));
}
