import { identityOf, isFields } from "./values.ts";

/** Names a list item: by its merge key, or by itself where the list holds scalars. */
export function nameOfItem(item: unknown, mergeKey: string | undefined): string {
  return identityOf(mergeKey === undefined || !isFields(item) ? item : item[mergeKey]);
}

/**
 * Brings a merged list into its final order.
 *
 * Items named in `wanted` keep the order of `wanted`; the others keep the order of the original. Between the two, an
 * item of the original goes first only where the original had it before the wanted one; so new items come to the front.
 */
export function orderItems(merged: readonly unknown[], { wanted, original, mergeKey }: Order): readonly unknown[] {
  const wantedAt = positions(wanted, mergeKey);
  const originalAt = positions(original, mergeKey);
  const nameOf = (item: unknown): string => nameOfItem(item, mergeKey);
  const at = (index: ReadonlyMap<string, number>) => (a: unknown, b: unknown) =>
    (index.get(nameOf(a)) ?? 0) - (index.get(nameOf(b)) ?? 0);

  const named = merged.filter((item) => wantedAt.has(nameOf(item))).sort(at(wantedAt));
  const others = merged.filter((item) => !wantedAt.has(nameOf(item))).sort(at(originalAt));
  const isBefore = (other: unknown, item: unknown): boolean => {
    const otherAt = originalAt.get(nameOf(other));
    const itemAt = originalAt.get(nameOf(item));
    return otherAt !== undefined && itemAt !== undefined && otherAt < itemAt;
  };
  return interleave(others, named, isBefore);
}

interface Order {
  readonly wanted: readonly unknown[];
  readonly original: readonly unknown[];
  readonly mergeKey: string | undefined;
}

function positions(items: readonly unknown[], mergeKey: string | undefined): ReadonlyMap<string, number> {
  return new Map(items.map((item, index) => [nameOfItem(item, mergeKey), index]));
}

function interleave(
  left: readonly unknown[],
  right: readonly unknown[],
  isBefore: (left: unknown, right: unknown) => boolean,
): readonly unknown[] {
  const out: unknown[] = [];
  let at = 0;
  for (const item of right) {
    for (; at < left.length && isBefore(left[at], item); at++) out.push(left[at]);
    out.push(item);
  }
  return [...out, ...left.slice(at)];
}
