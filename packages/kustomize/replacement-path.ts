import type { Budget } from "./budget.ts";
import { type Fields, isFields, scalarText, setField } from "./json.ts";

/** A place in an object that holds a value and can take another one. */
export interface Slot {
  readonly get: () => unknown;
  readonly set: (value: unknown) => void;
}

/** How places are found. */
export interface Search {
  /** Makes what is missing on the way, and this value at its end. */
  readonly make?: Make;
  /** Pays for every place and for every entry that is looked at. */
  readonly budget: Budget;
}

type Make = (() => unknown) | undefined;

/** `spec.a\.b.[name=x.y].*.0` → its parts; dots in brackets and behind a backslash do not separate. */
export function splitFieldPath(path: string): readonly string[] {
  const parts: string[] = [];
  let part = "";
  let depth = 0;
  for (let index = 0; index < path.length; index++) {
    const char = path[index] ?? "";
    if (char === "\\" && path[index + 1] === ".") part += path[++index] ?? "";
    else if (char === "." && depth === 0) {
      parts.push(part);
      part = "";
    } else {
      if (char === "[") depth++;
      if (char === "]") depth--;
      part += char;
    }
  }
  return [...parts, part].filter((entry) => entry !== "");
}

/**
 * All places that a path leads to. `[key=value]` takes the entries of a list with that field, `*` every entry of a list
 * or map, a number one entry, `-` a new one at the end.
 */
export function findSlots(root: Fields, path: readonly string[], { make, budget }: Search): readonly Slot[] {
  const top: Slot = { get: () => root, set: () => undefined };
  return path.reduce<readonly Slot[]>(
    (slots, part, index) => {
      const search = { make: nextMaker(path[index + 1], make), budget };
      return slots.flatMap((slot) => enter(slot, part, search));
    },
    [top],
  );
}

/** What has to be there for the next part to find a place. */
function nextMaker(next: string | undefined, make: Make): Make {
  if (make === undefined || next === undefined) return make;
  return isListPart(next) ? () => [] : () => ({});
}

function isListPart(part: string): boolean {
  return part.startsWith("[") || part === "-" || /^\d+$/.test(part);
}

function enter(slot: Slot, part: string, search: Search): readonly Slot[] {
  const { make, budget } = search;
  budget.spend(1);
  const node = slot.get();
  if (part === "*") return every(node, budget);
  if (Array.isArray(node)) return enterList(node, part, search);
  if (!isFields(node)) return [];
  if (node[part] === undefined) {
    if (make === undefined) return [];
    setField(node, part, make());
  }
  return [fieldSlot(node, part)];
}

function every(node: unknown, budget: Budget): readonly Slot[] {
  if (Array.isArray(node)) {
    budget.spend(node.length);
    return node.map((_, index) => indexSlot(node, index));
  }
  if (!isFields(node)) return [];
  const keys = Object.keys(node);
  budget.spend(keys.length);
  return keys.map((key) => fieldSlot(node, key));
}

function enterList(list: unknown[], part: string, search: Search): readonly Slot[] {
  if (part.startsWith("[")) return enterMatching(list, part, search);
  const { make } = search;
  const index = part === "-" ? list.length : Number(part);
  if (!Number.isInteger(index)) return [];
  if (index === list.length && make !== undefined) list.push(make());
  if (index >= list.length) throw new Error(`index ${index} specified but only ${list.length} elements found`);
  return [indexSlot(list, index)];
}

function enterMatching(list: unknown[], part: string, { make, budget }: Search): readonly Slot[] {
  budget.spend(list.length);
  const [key = "", ...rest] = part.slice(1, -1).split("=");
  const value = rest.join("=");
  const matches = (item: unknown): boolean =>
    key === "" ? scalarText(item) === value : isFields(item) && scalarText(item[key]) === value;
  if (make !== undefined && !list.some(matches)) list.push(key === "" ? value : { [key]: value });
  return list.flatMap((item: unknown, index) => (matches(item) ? [indexSlot(list, index)] : []));
}

function fieldSlot(fields: Fields, key: string): Slot {
  return { get: () => fields[key], set: (value) => setField(fields, key, value) };
}

function indexSlot(list: unknown[], index: number): Slot {
  return {
    get: () => list[index],
    set: (value) => {
      list[index] = value;
    },
  };
}
