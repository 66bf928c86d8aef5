import { deepEqual, equal } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import {
  applyDefaults,
  prune,
  type RawSchema,
  type Schema,
  SchemaCompiler,
  withObjectMeta,
} from "@kyma-operators/schema";
import { applyObject, formatConflicts, stripManagedFields, updateManagedFields } from "./index.ts";

interface Step {
  readonly apply?: object;
  /** Any write that is no apply; `stored` says what it made of the object. */
  readonly write?: string;
  readonly manager: string;
  readonly force?: boolean;
  readonly stored?: Stored;
  readonly error?: string;
}
type Stored = { readonly metadata: { readonly managedFields?: readonly object[] } };
interface Recorded {
  readonly schema: RawSchema;
  readonly histories: readonly { readonly name: string; readonly steps: readonly Step[] }[];
}

const now = "2026-01-01T00:00:00Z";
const resetFields = [["status"]];

for (const file of ["histories.json", "random-histories.json"]) {
  const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "testdata", file), "utf8")) as Recorded;
  const schema = withObjectMeta(new SchemaCompiler().compile(recorded.schema));

  describe(`every step in ${file} ends as on a kube-apiserver`, () => {
    for (const { name, steps } of recorded.histories) {
      test(name, () => {
        let live: Stored | undefined;
        for (const step of steps) {
          replay(schema, step, live);
          live = step.stored ?? live;
        }
      });
    }
  });
}

function replay(schema: Schema, step: Step, live: Stored | undefined): void {
  const { apply, manager, force = false, stored, error } = step;
  if (stored !== undefined && apply === undefined) {
    const next = stripManagedFields(stored);
    equal(managers(updateManagedFields({ live, next, manager, schema, resetFields, now })), managers(stored));
    return;
  }
  const result = attempt(() => applyObject({ live, applied: apply ?? {}, manager, force, schema, resetFields, now }));
  if (stored === undefined) return equal(result, error);
  deepEqual(withoutServerFields(schema, result), withoutServerFields(schema, stored));
}

function attempt(apply: () => ReturnType<typeof applyObject>): unknown {
  try {
    const { object, conflicts } = apply();
    return conflicts.length > 0 ? formatConflicts(conflicts) : object;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Without the namespace that the server adds; pruned and with defaults, as it stores the merged object. */
function withoutServerFields(schema: Schema, object: unknown): unknown {
  const { metadata, status: _, ...rest } = object as Stored & { status?: unknown };
  // Go leaves out empty labels and annotations when it writes metadata.
  const filled = Object.entries(metadata).filter(([, value]) => JSON.stringify(value) !== "{}" && value !== null);
  const sorted = { ...Object.fromEntries(filled), namespace: undefined, managedFields: managers(object as Stored) };
  const merged: unknown = JSON.parse(JSON.stringify({ ...rest, metadata: sorted }));
  return applyDefaults(schema, prune(schema, merged).value);
}

function managers({ metadata }: Stored): string {
  return JSON.stringify((metadata.managedFields ?? []).map((entry) => JSON.stringify(canonical(entry))).sort());
}

function canonical(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, canonical(inner)]));
}
