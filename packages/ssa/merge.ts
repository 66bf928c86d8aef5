import type { Schema } from "@kyma-operators/schema";
import { equalValues } from "./equal.ts";
import { commonShape, type Fields, fieldSchema, type Item, isFields, itemSchema, itemsOf, setField } from "./shape.ts";

/**
 * Lays an applied configuration over a live value. Returns the live value itself when the configuration adds nothing
 * to it, so that callers can tell by identity.
 */
export function mergeValues(schema: Schema, live: unknown, applied: unknown): unknown {
  if (applied === undefined || applied === live) return live;
  if (live === undefined) return applied;
  const shape = commonShape(schema, live, applied);
  if (shape === "fields" && isFields(live)) return mergeFields(schema, live, applied);
  if (shape === "items" && Array.isArray(live)) return mergeItems(schema, live, applied);
  return equalValues(live, applied) ? live : applied;
}

function mergeFields(schema: Schema, live: Fields, applied: unknown): unknown {
  const fields = isFields(applied) ? Object.entries(applied) : [];
  // Null over an empty container is a change, null over a filled one is not: the filled one stays.
  if (fields.length === 0) return Object.keys(live).length === 0 && applied === null ? applied : live;
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of fields) {
    const ours = Object.hasOwn(live, name) ? live[name] : undefined;
    const merged = mergeValues(fieldSchema(schema, name), ours, value);
    if (merged === ours) continue;
    copy ??= { ...live };
    setField(copy, name, merged);
  }
  return copy ?? live;
}

function mergeItems(schema: Schema, live: readonly unknown[], applied: unknown): unknown {
  const wanted = Array.isArray(applied) ? applied : [];
  if (wanted.length === 0) return live.length === 0 && applied === null ? applied : live;
  const merged = new ItemMerge(schema, itemsOf(schema, live), itemsOf(schema, wanted)).run();
  const unchanged = merged.length === live.length && merged.every((value, index) => value === live[index]);
  return unchanged ? live : merged;
}

/**
 * Merges two keyed lists into one order. Applied items keep the applied order; a live item that nobody applied stays
 * behind the shared item that it follows. (The rule is the one of structured-merge-diff: both lists are read in step,
 * and a shared live item that is not the next one to come is passed over.)
 */
class ItemMerge {
  readonly #schema: Schema;
  readonly #live: readonly Item[];
  readonly #applied: readonly Item[];
  readonly #liveByElement: ReadonlyMap<string, unknown>;
  readonly #wanted: ReadonlySet<string>;
  readonly #out: unknown[] = [];
  /** Applied elements that live has too, in applied order; the next one to be merged comes first. */
  readonly #shared: string[];

  constructor(schema: Schema, live: readonly Item[], applied: readonly Item[]) {
    this.#schema = itemSchema(schema);
    this.#live = live;
    this.#applied = applied;
    this.#liveByElement = withoutTwins(live);
    this.#wanted = new Set(applied.map(({ element }) => element));
    this.#shared = applied.map(({ element }) => element).filter((element) => this.#liveByElement.has(element));
  }

  run(): readonly unknown[] {
    let at = 0;
    for (const item of this.#applied) {
      at = this.#takeLiveBefore(at, item.element);
      this.#merge(item);
      if (this.#live[at]?.element === item.element) at++;
    }
    for (const item of this.#live.slice(at)) if (!this.#wanted.has(item.element)) this.#out.push(item.value);
    return this.#out;
  }

  /** Emits the live items that come before the next applied one; returns where live reading stops. */
  #takeLiveBefore(from: number, element: string): number {
    let at = from;
    for (let item = this.#live[at]; item !== undefined && item.element !== element; item = this.#live[at]) {
      const [nextShared] = this.#shared;
      const wanted = this.#wanted.has(item.element);
      if (wanted && nextShared === item.element) return at;
      at++;
      if (!wanted) this.#out.push(item.value);
      // Every shared item is merged: this one was, and the next applied one comes before the live rest.
      else if (nextShared === undefined) return at;
    }
    return at;
  }

  #merge({ element, value }: Item): void {
    if (this.#shared[0] === element) this.#shared.shift();
    this.#out.push(mergeValues(this.#schema, this.#liveByElement.get(element), value));
  }
}

/** Items by element; where live holds several under one key, none of them is merged with the applied one. */
function withoutTwins(items: readonly Item[]): ReadonlyMap<string, unknown> {
  const byElement = new Map<string, unknown>();
  for (const { element, value } of items) byElement.set(element, byElement.has(element) ? undefined : value);
  return byElement;
}
