import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatFieldError, type Schema } from "@kyma-operators/schema";
import { group, kinds, version } from "../apis/operator/group.ts";
import { admit, schemaOfCrd } from "../cli/crd-schema.ts";

const folder = join(import.meta.dirname, "../crds");

/** The rows leave out that embedded objects need an identity, which an API server checks as well. */
const embeddedIdentity = /^spec\.(resource|data)\.(apiVersion|kind): Required value/;

/** Answers one row of the topics about our CRDs in `rules.json`. */
export const crdTables: Readonly<Record<string, (input: never) => unknown>> = {
  "crd-validation": (object: { kind: string }) => {
    const { faults } = admit(schemaOf(object.kind), object);
    const problems = faults.map(formatFieldError).filter((text) => !embeddedIdentity.test(text));
    return { valid: problems.length === 0, problems };
  },
  "crd-defaults": (object: { kind: string }) => admit(schemaOf(object.kind), object).object,
};

const schemas = new Map<string, Schema>();

function schemaOf(kind: string): Schema {
  const known = schemas.get(kind) ?? compile(kind);
  schemas.set(kind, known);
  return known;
}

function compile(kind: string): Schema {
  const plural = kinds.find((known) => known.kind === kind)?.plural;
  return schemaOfCrd(readFileSync(join(folder, `${group}_${plural}.yaml`), "utf8"), version);
}
