import { Bytes, type GoValue, isGoObject, listItems, typeName } from "./values.ts";

/** What lists and maps weigh beside the texts in them: about half of the bytes that they take in memory. */
export const itemWeight = 16;
export const entryWeight = 64;
const listWeight = 32;
const mapWeight = 96;
const watchedDepth = 1_000;

/** The weight of a list or map without what is in it; 0 for anything else. */
export function shallowWeight(value: GoValue): number {
  if (value instanceof Map) return mapWeight + value.size * entryWeight;
  if (value instanceof Bytes) return value.data.length * itemWeight;
  const items = typeof value === "object" ? listItems(value) : undefined;
  return items === undefined ? 0 : listWeight + items.length * itemWeight;
}

function partsOf(value: GoValue): Iterable<GoValue> {
  if (value instanceof Map) return value.values();
  if (value instanceof Bytes || typeof value !== "object") return [];
  if (isGoObject(value) && value.goKind === "map") return value.entries?.().map(([, item]) => item) ?? [];
  return listItems(value) ?? [];
}

/**
 * How large a value is when it is written out: what stands in several places counts in each. Ends beyond `max`, so that
 * neither a value that contains itself nor one that doubles on every level takes long.
 */
export function weigh(value: GoValue, max: number): number {
  let weight = 0;
  const open: GoValue[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    weight += typeof next === "string" ? next.length : shallowWeight(next);
    if (weight > max) break;
    for (const part of partsOf(next)) open.push(part);
  }
  return weight;
}

/** The lists, maps and scalars in a value. */
export function countValues(value: GoValue): number {
  let count = 1;
  for (const part of partsOf(value)) count += typeof part === "object" && part !== null ? countValues(part) : 1;
  return count;
}

/** Go begins to watch for cycles at a depth, and blames what it finds there. */
function blamed(path: readonly GoValue[], repeated: GoValue): GoValue {
  const start = path.indexOf(repeated);
  return path[start + ((watchedDepth - start) % (path.length - start))];
}

/** The type of a list or map that contains itself, as Go names it; undefined when there is none. */
export function cycleIn(value: GoValue): string | undefined {
  const done = new Set<GoValue>();
  const path = new Set<GoValue>();
  const search = (next: GoValue): string | undefined => {
    if (path.has(next)) return typeName(blamed([...path], next));
    if (typeof next !== "object" || done.has(next) || path.size > watchedDepth) return undefined;
    path.add(next);
    for (const part of partsOf(next)) {
      const found = search(part);
      if (found !== undefined) return found;
    }
    path.delete(next);
    done.add(next);
    return undefined;
  };
  return search(value);
}
