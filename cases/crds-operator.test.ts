import { deepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { load } from "js-yaml";
import { crdName, kinds } from "../apis/operator/group.ts";
import { casesDir } from "./cases-dir.ts";

const ours = join(import.meta.dirname, "../crds");
const reference = join(casesDir, "reference/crds/lifecycle-manager");

/** Optional status fields that the original does not have; each needs a reason. */
const additions: Readonly<Record<string, readonly string[]>> = {
  // Digests of what was applied: without them every pass would have to apply every object again.
  manifests: [".spec.versions[].schema.openAPIV3Schema.properties.status.properties.inventory"],
};

/** What a CRD demands and defaults, without prose. */
function structureOf(value: unknown, path: string, added: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => structureOf(item, `${path}[]`, added));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, inner]) => !(key === "description" && typeof inner === "string"))
    .filter(([key]) => !added.includes(`${path}.${key}`))
    .map(([key, inner]) => [key, structureOf(inner, `${path}.${key}`, added)]);
  return Object.fromEntries(entries);
}

describe("CRDs of operator.kyma-project.io", () => {
  for (const kind of kinds) {
    test(`${kind.kind} has the fields, types, defaults and validations of the original`, () => {
      const file = `${kind.group}_${kind.plural}.yaml`;
      const own = load(readFileSync(join(ours, file), "utf8"));
      const original = load(readFileSync(join(reference, file), "utf8"));

      deepEqual(structureOf(own, "", additions[kind.plural] ?? []), structureOf(original, "", []));
      deepEqual((own as { metadata: { name: string } }).metadata.name, crdName(kind));
    });
  }
});
