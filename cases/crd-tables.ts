import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  applyDefaults,
  formatFieldError,
  type RawSchema,
  type Schema,
  SchemaCompiler,
  validate,
  validateRules,
  withObjectMeta,
} from "@kyma-operators/schema";
import { parseYaml } from "@kyma-operators/yaml";
import { group, kinds, version } from "../apis/operator/group.ts";

const folder = join(import.meta.dirname, "../crds");

/** The rows leave out that embedded objects need an identity, which an API server checks as well. */
const embeddedIdentity = /^spec\.(resource|data)\.(apiVersion|kind): Required value/;

/** Answers one row of the topics about our CRDs in `rules.json`. */
export const crdTables: Readonly<Record<string, (input: never) => unknown>> = {
  "crd-validation": (object: { kind: string }) => {
    const schema = schemaOf(object.kind);
    const filled = applyDefaults(schema, object);
    const faults = [...validate(schema, filled), ...validateRules(schema, filled)].map(formatFieldError);
    const problems = faults.filter((text) => !embeddedIdentity.test(text));
    return { valid: problems.length === 0, problems };
  },
  "crd-defaults": (object: { kind: string }) => applyDefaults(schemaOf(object.kind), object),
};

const schemas = new Map<string, Schema>();

function schemaOf(kind: string): Schema {
  const known = schemas.get(kind) ?? compile(kind);
  schemas.set(kind, known);
  return known;
}

function compile(kind: string): Schema {
  const plural = kinds.find((known) => known.kind === kind)?.plural;
  const crd = parseYaml(readFileSync(join(folder, `${group}_${plural}.yaml`), "utf8")) as {
    spec: { versions: { name: string; schema: { openAPIV3Schema: RawSchema } }[] };
  };
  const served = crd.spec.versions.find(({ name }) => name === version);
  if (served === undefined) throw new Error(`the CRD of ${kind} lacks version ${version}`);
  return withObjectMeta(new SchemaCompiler().compile(served.schema.openAPIV3Schema));
}
