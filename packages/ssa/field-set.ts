/**
 * A set of field paths as a tree. A node's children are keyed by path element, spelled as in `FieldsV1`:
 * `f:<field>`, `k:<keys as JSON>`, `v:<value as JSON>`, `i:<index>`. Immutable: operations share what is equal and
 * return the same set when nothing changes.
 */
export interface FieldSet {
  /** The path that leads here belongs to the set; at the root it never does. */
  readonly member: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

const noChildren: ReadonlyMap<string, FieldSet> = new Map();

export const emptySet: FieldSet = { member: false, children: noChildren };
/** A path that ends here. */
export const leaf: FieldSet = { member: true, children: noChildren };

export function isEmpty(set: FieldSet): boolean {
  return !set.member && set.children.size === 0;
}

/** A node, or one of the two shared ones where it equals them. */
export function nodeOf(member: boolean, children: ReadonlyMap<string, FieldSet>): FieldSet {
  if (children.size > 0) return { member, children };
  return member ? leaf : emptySet;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  if (isEmpty(a)) return b;
  const children = unionChildren(a.children, b.children);
  const member = a.member || b.member;
  return children === a.children && member === a.member ? a : nodeOf(member, children);
}

function unionChildren(a: FieldSet["children"], b: FieldSet["children"]): FieldSet["children"] {
  let children: Map<string, FieldSet> | undefined;
  for (const [key, theirs] of b) {
    const ours = a.get(key);
    const joined = ours === undefined ? theirs : union(ours, theirs);
    if (joined === ours) continue;
    children ??= new Map(a);
    children.set(key, joined);
  }
  return children ?? a;
}

/** The paths of `a` that are not in `b`. A path in `b` does not take its descendants along. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a) || isEmpty(b)) return a;
  return combine(a, b, a.member && !b.member, difference);
}

/** Like {@link difference}, but a path in `b` takes everything below it along. */
export function differenceBelow(a: FieldSet, b: FieldSet): FieldSet {
  if (b.member) return emptySet;
  if (isEmpty(a) || isEmpty(b)) return a;
  return combine(a, b, a.member, differenceBelow);
}

function combine(a: FieldSet, b: FieldSet, member: boolean, below: (a: FieldSet, b: FieldSet) => FieldSet): FieldSet {
  let children: Map<string, FieldSet> | undefined;
  for (const [key, theirs] of b.children) {
    const ours = a.children.get(key);
    if (ours === undefined) continue;
    const rest = below(ours, theirs);
    if (rest === ours) continue;
    children ??= new Map(a.children);
    if (isEmpty(rest)) children.delete(key);
    else children.set(key, rest);
  }
  if (children === undefined && member === a.member) return a;
  return nodeOf(member, children ?? a.children);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const children = new Map<string, FieldSet>();
  for (const [key, theirs] of b.children) {
    const ours = a.children.get(key);
    if (ours === undefined) continue;
    const common = intersection(ours, theirs);
    if (!isEmpty(common)) children.set(key, common);
  }
  return nodeOf(a.member && b.member, children);
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.member !== b.member || a.children.size !== b.children.size) return false;
  for (const [key, ours] of a.children) {
    const theirs = b.children.get(key);
    if (theirs === undefined || !equalSets(ours, theirs)) return false;
  }
  return true;
}

/** The set that holds one path. */
export function setOf(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((below, key) => nodeOf(false, new Map([[key, below]])), leaf);
}

/** Every path of the set, each a list of path elements, in Kubernetes' order: what ends at a level comes first. */
export function* pathsOf(set: FieldSet, prefix: readonly string[] = []): Generator<readonly string[]> {
  const children = sortedChildren(set).map(([element, below]) => ({ path: [...prefix, element], below }));
  for (const { path, below } of children) if (below.member) yield path;
  for (const { path, below } of children) yield* pathsOf(below, path);
}

const ranks: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** Fields first, then keyed items, values and indexes; each kind by its text. */
export function sortedChildren(set: FieldSet): readonly (readonly [string, FieldSet])[] {
  return [...set.children].sort(([a], [b]) => compareElements(a, b));
}

function compareElements(a: string, b: string): number {
  const byKind = (ranks[a[0] ?? ""] ?? 4) - (ranks[b[0] ?? ""] ?? 4);
  if (byKind !== 0) return byKind;
  if (a[0] === "i") return Number(a.slice(2)) - Number(b.slice(2));
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
