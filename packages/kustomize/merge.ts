import { coreMergeFacts, type FieldFacts, type MergeFacts } from "@kyma-operators/strategic-merge";
import { kustomizeErrors } from "./errors.ts";
import { type Fields, isFields, isScalar, scalarText, setField } from "./json.ts";

/**
 * Merges a strategic patch into an object as kustomize does, which differs from the API server: what a patch adds to a
 * keyed list comes first, `$patch` is the only directive, and kinds without a schema have no keyed lists.
 *
 * @returns `undefined` when the patch deletes the whole object. Both are changed, and `patch` may become part of the result.
 */
export function mergePatch(original: Fields, patch: Fields): Fields | undefined {
  const apiVersion = scalarText(original["apiVersion"]);
  const facts = coreMergeFacts(apiVersion, scalarText(original["kind"]));
  const merged = mergeFields(original, patch, { facts, path: "" });
  return merged === undefined ? undefined : (merged as Fields);
}

interface Place {
  readonly facts: MergeFacts | undefined;
  readonly path: string;
}

const directive = "$patch";

function mergeFields(original: Fields | undefined, patch: Fields, place: Place): unknown {
  const action = takeDirective(patch);
  if (action === "delete") return undefined;
  const base = original === undefined || action === "replace" ? {} : original;
  for (const [key, value] of Object.entries(patch)) {
    const path = place.path === "" ? key : `${place.path}.${key}`;
    const merged = mergeValue(base[key], value, { facts: place.facts?.field(key), path });
    if (merged === undefined) delete base[key];
    else setField(base, key, merged);
  }
  return base;
}

interface FieldPlace {
  readonly facts: FieldFacts | undefined;
  readonly path: string;
}

function mergeValue(original: unknown, patch: unknown, { facts, path }: FieldPlace): unknown {
  if (patch === null) return undefined;
  if (isFields(patch)) {
    const base = checked(original, isFields, { path, expected: "a map" });
    return mergeFields(base, patch, { facts: facts?.value, path });
  }
  if (Array.isArray(patch)) {
    const base = checked(original, Array.isArray, { path, expected: "a list" });
    return mergeList(base, patch, { facts, path });
  }
  checked(original, isScalar, { path, expected: "a scalar" });
  return patch;
}

/** The value when it is of the kind that the patch expects, `undefined` when there is none. */
function checked<T>(
  value: unknown,
  is: (value: unknown) => value is T,
  { path, expected }: { readonly path: string; readonly expected: string },
): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (is(value)) return value;
  throw mismatch(path, expected);
}

function mergeList(original: readonly unknown[] | undefined, patch: unknown[], place: FieldPlace): unknown {
  if (place.facts?.strategies.includes("merge") !== true) return patch;
  const action = takeListDirective(patch);
  if (action === "delete") return undefined;
  const base = action === "replace" || original === undefined ? [] : original;
  if ([...base, ...patch].every(isScalar)) return mergeScalars(base, patch);
  const merged = mergeItems(base, patch, place);
  return merged.length === 0 && original !== undefined ? undefined : merged;
}

function mergeScalars(original: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  return [...new Map([...patch, ...original].map((item) => [scalarText(item), item])).values()];
}

/** Keys that name an item together with the merge key; only those that items carry count. */
const secondKeys: Readonly<Record<string, string>> = {
  containerPort: "protocol",
  port: "protocol",
  topologyKey: "whenUnsatisfiable",
};

function mergeItems(original: readonly unknown[], patch: readonly unknown[], place: FieldPlace): readonly unknown[] {
  const keys = keysFor(place.facts?.mergeKey ?? "", [...original, ...patch]);
  const old = new Map(original.map((item) => [nameOf(item, keys, place.path), item]));
  const order = [...patch, ...original].map((item) => nameOf(item, keys, place.path));
  const patched = new Map(patch.map((item) => [nameOf(item, keys, place.path), item]));
  const items = new Map<string, unknown>();
  for (const name of new Set(order)) {
    const item = mergeItem(old.get(name), patched.get(name), place);
    if (item !== undefined) items.set(name, item);
  }
  return keys.length > 1 ? movedBehind(items, old) : [...items.values()];
}

function mergeItem(original: unknown, patch: unknown, { facts, path }: FieldPlace): unknown {
  if (patch === undefined) return original;
  const merged = isFields(patch)
    ? mergeFields(isFields(original) ? original : undefined, patch, { facts: facts?.value, path: `${path}[]` })
    : patch;
  return isFields(merged) && Object.keys(merged).length === 0 ? undefined : merged;
}

/** With two keys the items that were there keep their order behind those that are new. */
function movedBehind(items: ReadonlyMap<string, unknown>, old: ReadonlyMap<string, unknown>): readonly unknown[] {
  const added = [...items].filter(([name]) => !old.has(name)).map(([, item]) => item);
  const kept = [...old.keys()].flatMap((name) => (items.has(name) ? [items.get(name)] : []));
  return [...added, ...kept];
}

function keysFor(mergeKey: string, items: readonly unknown[]): readonly string[] {
  const second = secondKeys[mergeKey];
  const used = second !== undefined && items.some((item) => isFields(item) && item[second] !== undefined);
  return used ? [mergeKey, second] : [mergeKey];
}

function nameOf(item: unknown, keys: readonly string[], path: string): string {
  if (!isFields(item)) throw mismatch(path, "a list of maps");
  return JSON.stringify(keys.map((key) => scalarText(item[key])));
}

function takeDirective(patch: Fields): string {
  const action = patch[directive];
  if (action === undefined) return "merge";
  delete patch[directive];
  if (action === "merge" || action === "replace" || action === "delete") return action;
  throw kustomizeErrors.TRANSFORM({ what: directive, problem: `unknown patch strategy ${JSON.stringify(action)}` });
}

/** An item that holds nothing but a directive speaks for the whole list. */
function takeListDirective(patch: unknown[]): string {
  const at = patch.findIndex(
    (item) => isFields(item) && item[directive] !== undefined && Object.keys(item).length === 1,
  );
  if (at < 0) return "merge";
  const [item] = patch.splice(at, 1);
  return takeDirective(item as Fields);
}

function mismatch(path: string, expected: string): Error {
  return kustomizeErrors.TRANSFORM({ what: `field ${path}`, problem: `wrong kind of value, expected ${expected}` });
}
