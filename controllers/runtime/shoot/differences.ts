import { isDeepStrictEqual } from "node:util";
import { isObject, type Shoot } from "@kyma-operators/gardener";
import { withDefaults } from "./pools.ts";
import { updateBefore } from "./update.ts";

/** `kyma runtime diff`: one field that a patch changes; the keys are a contract of `-o json`. */
export interface ShootDifference {
  readonly kind: "added" | "changed" | "removed";
  /** For example `spec.provider.workers[cpu-worker-0].maximum`. */
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** `kyma runtime diff`: what a patch changes and what it leaves; the keys are a contract of `-o json`. */
export interface ShootDifferences {
  readonly changes: readonly ShootDifference[];
  /** Fields that the Shoot has and the patch does not send. */
  readonly leftToGardener: readonly string[];
}

/** Lists whose entries the patch replaces one by one, and the field that names an entry. */
const keyed: ReadonlyMap<string, string> = new Map([
  ["spec.provider.workers", "name"],
  ["spec.tolerations", "key"],
  ["spec.extensions", "type"],
  ["spec.resources", "name"],
]);

/**
 * What a patch changes in a Shoot, field by field.
 *
 * What the patch does not name is left to Gardener, except for what its update takes away.
 */
export function shootDifferences(current: Shoot, wanted: Shoot): ShootDifferences {
  const changes: ShootDifference[] = [];
  const leftToGardener: string[] = [];
  const visit = (path: string, { from, to, kept }: Values): void => {
    if (isObject(from) && isObject(to)) visitFields(path, { from, to, kept: isObject(kept) ? kept : {} });
    else if (to === undefined && isDeepStrictEqual(from, kept)) leftToGardener.push(path);
    else if (!isDeepStrictEqual(from, to ?? kept)) changes.push(differenceOf(path, from, to ?? kept));
  };
  const visitFields = (path: string, { from, to, kept }: Values<Fields>): void => {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      const field = keyed.has(path) ? `${path}[${key}]` : `${path}.${key}`;
      const at = (fields: Fields): unknown => entriesOf(field, fields[key]);
      visit(field, { from: at(from), to: at(to), kept: at(kept) });
    }
  };
  for (const key of ["labels", "annotations"] as const) {
    const from = current.metadata[key] ?? {};
    visit(`metadata.${key}`, { from, to: wanted.metadata[key] ?? {}, kept: from });
  }
  const kept = keptBy(current, wanted);
  visitFields("spec", { from: { ...current.spec }, to: { ...wanted.spec }, kept: { ...kept.spec } });
  return { changes, leftToGardener };
}

type Fields = Readonly<Record<string, unknown>>;

interface Values<T = unknown> {
  readonly from: T;
  readonly to: T;
  /** What is there when the patch does not name it. */
  readonly kept: T;
}

/** The Shoot after the update that comes before the apply, with its pools as Gardener fills them in again. */
function keptBy(current: Shoot, wanted: Shoot): Shoot {
  const updated = updateBefore(current, wanted);
  if (updated === undefined) return current;
  const { provider } = updated.spec;
  const workers = (provider.workers ?? []).map(withDefaults);
  return { ...updated, spec: { ...updated.spec, provider: { ...provider, workers } } };
}

function entriesOf(path: string, value: unknown): unknown {
  const key = keyed.get(path);
  if (key === undefined || !Array.isArray(value)) return value;
  return Object.fromEntries(value.filter(isObject).map((entry) => [String(entry[key]), entry]));
}

function differenceOf(path: string, from: unknown, to: unknown): ShootDifference {
  if (from === undefined) return { kind: "added", path, to };
  return to === undefined ? { kind: "removed", path, from } : { kind: "changed", path, from, to };
}
