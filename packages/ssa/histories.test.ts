import { deepEqual } from "node:assert/strict";
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
import { ownersOf, type RecordedWrite, replayWrites, type StoredObject } from "../../testing/index.ts";

interface Recorded {
  readonly schema: RawSchema;
  readonly histories: readonly { readonly name: string; readonly steps: readonly RecordedWrite[] }[];
}

for (const file of ["histories.json", "random-histories.json"]) {
  const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "testdata", file), "utf8")) as Recorded;
  const schema = withObjectMeta(new SchemaCompiler().compile(recorded.schema));

  describe(`every step in ${file} ends as on a kube-apiserver`, () => {
    for (const { name, steps } of recorded.histories) {
      test(name, () =>
        replayWrites(steps, schema, (stored, applied) =>
          deepEqual(withoutServerFields(schema, applied), withoutServerFields(schema, stored)),
        ),
      );
    }
  });
}

/** Without the namespace that the server adds; pruned and with defaults, as it stores the merged object. */
function withoutServerFields(schema: Schema, object: StoredObject): unknown {
  const { metadata, status: _, ...rest } = object as StoredObject & { status?: unknown };
  // Go leaves out empty labels and annotations when it writes metadata.
  const filled = Object.entries(metadata).filter(([, value]) => JSON.stringify(value) !== "{}" && value !== null);
  const sorted = { ...Object.fromEntries(filled), namespace: undefined, managedFields: ownersOf(object) };
  const merged: unknown = JSON.parse(JSON.stringify({ ...rest, metadata: sorted }));
  return applyDefaults(schema, prune(schema, merged).value);
}
