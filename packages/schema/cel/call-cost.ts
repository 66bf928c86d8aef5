import { type Size, scalarSize, unknownSize } from "./sizes.ts";
import type { CelType } from "./types.ts";

/** What one call costs beside its arguments, and how large its result may be. */
export interface CallCost {
  readonly cost: number;
  readonly size: Size;
}

/** Walking a text costs a tenth of a step per character; a pattern costs a quarter per character of itself. */
const perCharacter = 0.1;
const perPatternCharacter = 0.25;

type Sizes = readonly Size[];
const at = (sizes: Sizes, index: number): Size => sizes[index] ?? scalarSize;
const walk = (size: Size): number => size.max * perCharacter;

type Calculation = (sizes: Sizes) => CallCost;

/** A walk over the receiver that gives a scalar. */
const look: Calculation = (sizes) => ({ cost: 1 + walk(at(sizes, 0)), size: scalarSize });
/** A walk over the receiver that gives something as large. */
const copy: Calculation = (sizes) => ({ cost: 1 + walk(at(sizes, 0)), size: at(sizes, 0) });
/** A visit of every item. */
const scan: Calculation = (sizes) => ({ cost: 1 + at(sizes, 0).max, size: at(sizes, 0).item ?? scalarSize });
const same: Calculation = (sizes) => ({ cost: 1 + at(sizes, 0).max, size: at(sizes, 0) });
/** A comparison of two values ends with the shorter one. */
const compare: Calculation = (sizes) => ({
  cost: 1 + Math.min(at(sizes, 0).max, at(sizes, 1).max) * perCharacter,
  size: scalarSize,
});
const search: Calculation = (sizes) => ({
  cost: 1 + product(walk(at(sizes, 0)) + 1, walk(at(sizes, 1)) + 1),
  size: scalarSize,
});
const pattern =
  (size: (sizes: Sizes) => Size): Calculation =>
  (sizes) => ({
    cost: 1 + product(walk(at(sizes, 0)) + 1, at(sizes, 1).max * perPatternCharacter + 1),
    size: size(sizes),
  });
/** Every item of one list against every item of another. */
const pairs: Calculation = (sizes) => ({ cost: 1 + product(at(sizes, 0).max, at(sizes, 1).max), size: scalarSize });
/** An entry; where nothing is known of it, it counts as small, as Kubernetes does. */
const entry: Calculation = (sizes) => ({ cost: 1, size: at(sizes, 0).item ?? { max: 1, item: scalarSize } });
const pieces: Calculation = (sizes) => ({
  cost: 1 + walk(at(sizes, 0)),
  size: { max: at(sizes, 0).max, item: unknownSize },
});

function joined(sizes: Sizes): CallCost {
  const separator = sizes.length > 1 ? at(sizes, 1).max : 0;
  const max = product(at(sizes, 0).max, (at(sizes, 0).item ?? unknownSize).max + separator);
  return { cost: 1 + max * perCharacter, size: { max } };
}

function concatenated(sizes: Sizes): CallCost {
  const [a, b] = [at(sizes, 0), at(sizes, 1)];
  const item = [a.item, b.item]
    .filter((part) => part !== undefined)
    .reduce((x, y) => (x.max >= y.max ? x : y), { max: 0 });
  const isList = a.item !== undefined || b.item !== undefined;
  const size = { max: a.max + b.max, ...(isList ? { item } : {}) };
  return { cost: 1 + (isList ? 0 : walk(size)), size };
}

function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}

/** The longest list that `lists.range` makes. */
export const rangeLimit = 1_000_000;

const named = (names: string, calculation: Calculation): Readonly<Record<string, Calculation>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, calculation]));

const calculations: Readonly<Record<string, Calculation>> = {
  ...named("_==_ _!=_ _<_ _<=_ _>_ _>=_ startsWith endsWith", compare),
  ...named("contains indexOf lastIndexOf", search),
  ...named("lowerAscii upperAscii substring trim charAt replace quote bytes", copy),
  ...named(
    "duration timestamp int double bool uint quantity isQuantity ip isIP cidr isCIDR url isURL semver isSemver validate",
    look,
  ),
  ...named("sum min max isSorted", scan),
  ...named("sort distinct reverse flatten slice", same),
  ...named("intersects equivalent", pairs),
  ...named("split", pieces),
  "@in": (sizes) => ({ cost: 1 + at(sizes, 1).max, size: scalarSize }),
  "_[_]": entry,
  "_[?_]": entry,
  "_+_": concatenated,
  contains: search,
  dyn: (sizes) => ({ cost: 1, size: at(sizes, 0) }),
  find: pattern((sizes) => at(sizes, 0)),
  findAll: pattern((sizes) => ({ max: at(sizes, 0).max, item: unknownSize })),
  join: joined,
  range: () => ({ cost: 1, size: { max: rangeLimit, item: scalarSize } }),
  matches: pattern(() => scalarSize),
  orValue: (sizes) => ({ cost: 1, size: at(sizes, 0).max >= at(sizes, 1).max ? at(sizes, 0) : at(sizes, 1) }),
};

/** Estimates one call. A function without a calculation costs one step; of what it makes, nothing is known. */
export function callCost(name: string, sizes: Sizes, result: CelType | undefined): CallCost {
  const calculation = Object.hasOwn(calculations, name) ? calculations[name] : undefined;
  if (calculation !== undefined) return fixed(calculation(sizes), result);
  return fixed({ cost: 1, size: unknownSize }, result);
}

const scalars: ReadonlySet<string> = new Set("bool int uint double timestamp duration null type opaque".split(" "));

/** A result of a scalar type has the size of a scalar. */
function fixed({ cost, size }: CallCost, result: CelType | undefined): CallCost {
  return { cost, size: result !== undefined && scalars.has(result.kind) ? scalarSize : size };
}
