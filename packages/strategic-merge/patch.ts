import { actionOf, type MapPatch, readMapPatch, withoutDirectives } from "./directives.ts";
import { merge } from "./errors.ts";
import type { FieldFacts, MergeFacts } from "./facts.ts";
import { nameOfItem, orderItems } from "./order.ts";
import { type Fields, goText, identityOf, isFields, isScalar, setField } from "./values.ts";

/**
 * Applies a strategic merge patch (`application/strategic-merge-patch+json`) and returns the result; neither argument
 * changes.
 *
 * Null deletes a field. Lists with a merge strategy merge by key or, for scalars, as sets; other lists are replaced.
 * Directives: `$patch` (`merge`, `replace`, `delete`), `$retainKeys`, `$deleteFromPrimitiveList/<field>`,
 * `$setElementOrder/<field>`. Throws `STRATEGIC_MERGE_PATCH_INVALID` on a patch that contradicts itself.
 *
 * @param facts - how the kind's lists merge; without them only the plain rules apply
 */
export function strategicMerge<T extends object>(original: T, patch: object, facts?: MergeFacts): T {
  return mergeMap(original as Fields, patch as Fields, { facts, path: "" }) as T;
}

interface Place {
  readonly facts: MergeFacts | undefined;
  readonly path: string;
}

function mergeMap(original: Fields, rawPatch: Fields, place: Place): Fields {
  const patch = readMapPatch(rawPatch, place.path === "" ? "patch" : place.path);
  if (patch.action === "replace") return patch.fields;
  if (patch.action === "delete") return {};
  const result: Record<string, unknown> = retained(original, patch);
  for (const [name, value] of Object.entries(patch.fields)) {
    if (value === null) delete result[name];
    else setField(result, name, mergeField(result[name], value, fieldPlace(place, name, patch)));
  }
  for (const [name, scalars] of patch.deletions) deleteScalars(result, name, scalars);
  for (const name of patch.orders.keys()) {
    if (!Object.hasOwn(patch.fields, name)) reorder(result, fieldPlace(place, name, patch));
  }
  return result;
}

function retained(original: Fields, { retainKeys }: MapPatch): Record<string, unknown> {
  if (retainKeys === undefined) return { ...original };
  return Object.fromEntries(Object.entries(original).filter(([name]) => retainKeys.has(name)));
}

interface FieldPlace {
  readonly name: string;
  readonly facts: FieldFacts | undefined;
  readonly path: string;
  /** `$setElementOrder` for this field. */
  readonly order: readonly unknown[] | undefined;
}

function fieldPlace({ facts, path }: Place, name: string, { orders }: MapPatch): FieldPlace {
  return { name, facts: facts?.field(name), path: path === "" ? name : `${path}.${name}`, order: orders.get(name) };
}

function mergeField(original: unknown, patch: unknown, place: FieldPlace): unknown {
  const replaces = place.facts?.strategies.includes("replace") === true;
  if (isFields(original) && isFields(patch) && !replaces) {
    return mergeMap(original, patch, { facts: place.facts?.value, path: place.path });
  }
  if (Array.isArray(original) && Array.isArray(patch) && mergesItems(place)) return mergeList(original, patch, place);
  return withoutDirectives(patch);
}

function mergesItems({ facts }: FieldPlace): boolean {
  return facts?.strategies.includes("merge") === true;
}

function mergeList(original: readonly unknown[], patch: readonly unknown[], place: FieldPlace): readonly unknown[] {
  const mergeKey = place.facts?.mergeKey;
  if (place.order !== undefined) checkOrder(patch, place.order, place);
  const all = [...original, ...patch];
  const scalars = all.every(isScalar);
  if (!scalars && !all.every(isFields)) {
    const problem = `list element types are not identical: ${goText([original, patch])}`;
    throw merge.PATCH_INVALID({ field: place.path, problem });
  }
  if (!scalars && mergeKey === undefined) {
    throw merge.PATCH_INVALID({ field: place.path, problem: `cannot merge lists without merge key for ${place.name}` });
  }
  const { items, wanted } = scalars ? mergeScalars(original, patch) : mergeItems(original, patch, place);
  return orderItems(items, { wanted: place.order ?? wanted, original, mergeKey: scalars ? undefined : mergeKey });
}

interface MergedList {
  readonly items: readonly unknown[];
  /** What the patch wants to be there, in its order. */
  readonly wanted: readonly unknown[];
}

function mergeScalars(original: readonly unknown[], patch: readonly unknown[]): MergedList {
  const byName = new Map([...original, ...patch].map((item) => [identityOf(item), item]));
  return { items: [...byName.values()], wanted: patch };
}

function mergeItems(original: readonly unknown[], patch: readonly unknown[], place: FieldPlace): MergedList {
  const mergeKey = place.facts?.mergeKey;
  const marked = patch.map((item) => markedItem(item, place));
  const wanted = marked.filter(({ action }) => action === "merge").map(({ item }) => item);
  if (marked.some(({ action }) => action === "replace")) return { items: wanted.map(withoutDirectives), wanted };
  const deleted = new Set(marked.filter(({ action }) => action === "delete").map(({ name }) => name));
  const items = new Map<string, unknown>();
  for (const item of original) {
    const name = nameOfItem(item, mergeKey);
    if (!deleted.has(name)) items.set(items.has(name) ? `${name}#${items.size}` : name, item);
  }
  for (const item of wanted) {
    const name = nameOfItem(item, mergeKey);
    items.set(name, mergeItem(items.get(name), item, place));
  }
  return { items: [...items.values()], wanted };
}

function markedItem(item: unknown, { path, facts }: FieldPlace): { item: unknown; action: string; name: string } {
  const { mergeKey = "" } = facts ?? {};
  const fields = isFields(item) ? item : {};
  const action = actionOf(fields, path);
  if (action !== "replace" && fields[mergeKey] === undefined) {
    const problem = `map: ${goText(item)} does not contain declared merge key: ${mergeKey}`;
    throw merge.PATCH_INVALID({ field: path, problem });
  }
  return { item, action, name: nameOfItem(item, mergeKey) };
}

function mergeItem(original: unknown, patch: unknown, { facts, path }: FieldPlace): unknown {
  if (!isFields(original) || !isFields(patch)) return withoutDirectives(patch);
  return mergeMap(original, patch, { facts: facts?.value, path: `${path}[]` });
}

function deleteScalars(result: Record<string, unknown>, name: string, scalars: readonly unknown[]): void {
  const list = result[name];
  if (!Array.isArray(list)) return;
  const gone = new Set(scalars.map(identityOf));
  setField(
    result,
    name,
    list.filter((item) => !gone.has(identityOf(item))),
  );
}

function reorder(result: Record<string, unknown>, { name, facts, order }: FieldPlace): void {
  const list = result[name];
  if (!Array.isArray(list) || order === undefined) return;
  setField(result, name, orderItems(list, { wanted: order, original: list, mergeKey: facts?.mergeKey }));
}

/** Every item of the patch has to be in its own order list, in the same order. */
function checkOrder(patch: readonly unknown[], order: readonly unknown[], { facts, path }: FieldPlace): void {
  const names = order.map((item) => nameOfItem(item, facts?.mergeKey));
  let at = 0;
  for (const item of patch) {
    if (isFields(item) && actionOf(item, path) !== "merge") continue;
    const found = names.indexOf(nameOfItem(item, facts?.mergeKey), at);
    if (found < 0) {
      const problem = `The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`;
      throw merge.PATCH_INVALID({ field: path, problem });
    }
    at = found + 1;
  }
}
