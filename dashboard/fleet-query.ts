import { type FleetKind, type FleetRow, fleetKinds } from "./rows.ts";
import { urgencyOf } from "./tones.ts";

export const sortColumns = ["name", "kyma", "state", "age"] as const;
export type SortColumn = (typeof sortColumns)[number];

/** Which part of the fleet a page shows; all of it stands in its address. */
export interface FleetQuery {
  readonly kind: FleetKind;
  /** Words that must all occur in a row, in any case. */
  readonly filter: string;
  /** Only this state; empty for all. */
  readonly state: string;
  readonly sort: SortColumn;
  readonly descending: boolean;
  /** From 1. */
  readonly page: number;
}

export const pageSize = 50;
const longestFilter = 200;

const defaults = { filter: "", state: "", sort: "state", descending: false, page: 1 } as const;

/** Reads the query of an address; whatever makes no sense has its default. */
export function parseFleetQuery(params: URLSearchParams, watched: readonly FleetKind[]): FleetQuery {
  const sort = params.get("sort") ?? "";
  const column = sort.replace(/^-/, "");
  const page = Number(params.get("page") ?? 1);
  const known = sortColumns.find((candidate) => candidate === column);
  return {
    kind: kindOf(params.get("kind"), watched),
    filter: (params.get("q") ?? "").slice(0, longestFilter).trim(),
    state: (params.get("state") ?? "").slice(0, longestFilter),
    sort: known ?? defaults.sort,
    descending: known !== undefined && sort.startsWith("-"),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

function kindOf(text: string | null, watched: readonly FleetKind[]): FleetKind {
  const asked = watched.find((kind) => kind === text);
  return asked ?? watched.find((kind) => kind === "kymas") ?? watched[0] ?? fleetKinds[0];
}

/** The address of a query; defaults are left out. */
export function formatFleetQuery(query: FleetQuery): string {
  const { kind, filter, state, sort, descending, page } = query;
  const params = new URLSearchParams({ kind });
  if (filter !== "") params.set("q", filter);
  if (state !== "") params.set("state", state);
  if (sort !== defaults.sort || descending) params.set("sort", `${descending ? "-" : ""}${sort}`);
  if (page > 1) params.set("page", String(page));
  return `/?${params.toString()}`;
}

/** The rows of one page, and how many there are on all pages. */
export interface Selection {
  readonly rows: readonly FleetRow[];
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

/** Filters, sorts and cuts. A page behind the last one is the last one. */
export function selectRows(all: readonly FleetRow[], query: FleetQuery): Selection {
  const words = query.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = all.filter((row) => isSelected(row, words, query.state));
  const compare = comparators[query.sort];
  const sign = query.descending ? -1 : 1;
  const total = matching.length;
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const page = Math.min(query.page, pages);
  const first = firstInOrder(matching, (a, b) => sign * compare(a, b) || byName(a, b), page * pageSize);
  return { rows: first.slice((page - 1) * pageSize), total, page, pages };
}

/** The first rows in an order. To sort all of a large fleet for one page of it would take most of the time. */
function firstInOrder(rows: readonly FleetRow[], compare: Compare, count: number): readonly FleetRow[] {
  if (count > rows.length / 8) return rows.toSorted(compare).slice(0, count);
  const first: FleetRow[] = [];
  for (const row of rows) {
    const last = first[count - 1];
    if (last !== undefined && compare(last, row) <= 0) continue;
    first.splice(placeOf(row, first, compare), 0, row);
    if (first.length > count) first.pop();
  }
  return first;
}

/** Where a row stands among sorted ones: behind those that are equal. */
function placeOf(row: FleetRow, sorted: readonly FleetRow[], compare: Compare): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle];
    if (other !== undefined && compare(other, row) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isSelected(row: FleetRow, words: readonly string[], state: string): boolean {
  if (state !== "" && row.state !== state) return false;
  if (words.length === 0) return true;
  const text = `${row.name}\n${row.kyma}\n${row.state}\n${row.details}\n${row.blocker}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

type Compare = (a: FleetRow, b: FleetRow) => number;

const inOrder = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const byName: Compare = (a, b) => inOrder(a.name, b.name) || inOrder(a.kyma, b.kyma);

const comparators: Readonly<Record<SortColumn, Compare>> = {
  name: byName,
  kyma: (a, b) => inOrder(a.kyma, b.kyma),
  state: (a, b) => urgencyOf(a.state) - urgencyOf(b.state) || inOrder(a.state, b.state),
  // The youngest first: what was created last has the smallest age.
  age: (a, b) => inOrder(b.created, a.created),
};
