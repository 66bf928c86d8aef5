import { catalogRow, remoteKymaRow } from "./catalog-tables.ts";
import { crdTables } from "./crd-tables.ts";
import { type FixedQuirk, fixedQuirks, type QuirkRow } from "./fixed-quirks.ts";
import { flagRow } from "./flag-tables.ts";
import { kymaTables } from "./kyma-tables.ts";
import { manifestTables } from "./manifest-tables.ts";
import { type CompareRules, compareRules, difference } from "./table-compare.ts";
import { watcherTables } from "./watcher-tables.ts";
import { type Policies, requiredRow, windowRow } from "./window-tables.ts";

export interface TableRow {
  readonly id: string;
  readonly in: unknown;
  readonly out: unknown;
}

/** One file of recorded rows; its `compare` says what the rows leave free. */
export interface TableFile {
  readonly tables: Readonly<Record<string, { readonly rows: readonly TableRow[] }>>;
  readonly compare?: { readonly free?: readonly string[] };
  readonly policies?: Policies;
}

type Topic = (input: never, policies: Policies) => unknown;

const topics: Readonly<Record<string, Topic>> = {
  ...kymaTables,
  ...manifestTables,
  ...watcherTables,
  ...crdTables,
  flags: flagRow,
  catalog: catalogRow,
  "remote-kyma": remoteKymaRow,
  "maintenance-windows": windowRow,
  "maintenance-required": requiredRow,
};

/** How a row came out: as recorded, the fixed way, or not at all. */
export type Verdict =
  | { readonly kind: "recorded" }
  | { readonly kind: "fixed"; readonly quirk: string; readonly reason: string }
  | { readonly kind: "failed"; readonly difference: string };

/** Answers one row by the product's own functions and compares the answer with the record. */
export function judgeRow(topic: string, row: TableRow, { compare, policies = {} }: TableFile): Verdict {
  const answer = topics[topic];
  if (answer === undefined) return { kind: "failed", difference: `unknown topic ${topic}` };
  const rules = compareRules(compare?.free);
  const found = masked(answer(row.in as never, policies), row.out, topic);
  const text = difference(row.out, found, rules);
  if (text === undefined) return { kind: "recorded" };
  const question = { input: row.in as never, recorded: row.out, found, policies };
  const quirk = fixedQuirks.find((candidate) => candidate.topic === topic && isFixed(candidate, question, rules));
  return quirk === undefined ? { kind: "failed", difference: text } : { ...quirk, kind: "fixed" };
}

function isFixed({ fixed }: FixedQuirk, question: QuirkRow, rules: CompareRules): boolean {
  const expected = fixed(question);
  return expected !== undefined && difference(expected, question.found, rules) === undefined;
}

/** Texts of libraries that the files leave free, from a certain word on. */
const freeTails: Readonly<Record<string, string>> = {
  "maintenance-windows": ": ",
  "image-reference": "invalid docker image reference: ",
  transforms: "invalid docker image reference: ",
};

/** Fields that a file leaves free altogether, by topic. */
const freeFields: Readonly<Record<string, string>> = { "crd-validation": "problems" };

/** An answer whose free texts are replaced by those of the record. */
function masked(found: unknown, recorded: unknown, topic: string): unknown {
  const field = freeFields[topic];
  if (field !== undefined) return { ...(found as object), [field]: (recorded as Record<string, unknown>)[field] };
  const mark = freeTails[topic];
  const [own, wanted] = [errorOf(found), errorOf(recorded)];
  if (mark === undefined || own === undefined || wanted === undefined) return found;
  const [ownEnd, wantedEnd] = [own, wanted].map((text) => text.indexOf(mark)) as [number, number];
  const sameStart = ownEnd >= 0 && own.slice(0, ownEnd) === wanted.slice(0, wantedEnd);
  return sameStart && isLibraryText(topic, wanted) ? recorded : found;
}

/** In a policy, only what the JSON and expression libraries say is free. */
function isLibraryText(topic: string, text: string): boolean {
  return topic !== "maintenance-windows" || !text.includes("Unable to parse value");
}

function errorOf(answer: unknown): string | undefined {
  const { error } = (answer ?? {}) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}
