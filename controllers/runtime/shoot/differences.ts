import { isDeepStrictEqual } from "node:util";
import { isObject, type Shoot } from "@kyma-operators/gardener";

export interface ShootDifference {
  readonly kind: "added" | "changed" | "removed";
  /** For example `spec.provider.workers[cpu-worker-0].maximum`. */
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

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
 * A pool that the patch does not name goes; any other field that it does not name is left to Gardener.
 */
export function shootDifferences(current: Shoot, wanted: Shoot): ShootDifferences {
  const changes: ShootDifference[] = [];
  const leftToGardener: string[] = [];
  const visit = (path: string, from: unknown, to: unknown): void => {
    if (to === undefined && !isPool(path)) leftToGardener.push(path);
    else if (isObject(from) && isObject(to)) visitFields(path, from, to);
    else if (!isDeepStrictEqual(from, to)) changes.push(differenceOf(path, from, to));
  };
  const visitFields = (
    path: string,
    from: Readonly<Record<string, unknown>>,
    to: Readonly<Record<string, unknown>>,
  ): void => {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      const field = keyed.has(path) ? `${path}[${key}]` : `${path}.${key}`;
      visit(field, entriesOf(field, from[key]), entriesOf(field, to[key]));
    }
  };
  visit("metadata.labels", current.metadata.labels ?? {}, wanted.metadata.labels ?? {});
  visit("metadata.annotations", current.metadata.annotations ?? {}, wanted.metadata.annotations ?? {});
  visitFields("spec", { ...current.spec }, { ...wanted.spec });
  return { changes, leftToGardener };
}

function isPool(path: string): boolean {
  return /^spec\.provider\.workers\[[^\]]*\]$/.test(path);
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
