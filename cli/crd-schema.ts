import { join } from "node:path";
import {
  applyDefaults,
  type FieldError,
  type RawSchema,
  type Schema,
  SchemaCompiler,
  validate,
  validateRules,
  withObjectMeta,
} from "@kyma-operators/schema";
import { parseYaml } from "@kyma-operators/yaml";
import { productRoot } from "../local/product-files.ts";
import type { Io } from "./io.ts";

/** A kind that a CRD of ours defines. */
export interface CrdKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The schema by which an API server judges objects of a kind of ours. */
export async function readCrdSchema(io: Io, { group, plural, version }: CrdKind): Promise<Schema> {
  return schemaOfCrd(await io.files.readText(join(productRoot(), "crds", `${group}_${plural}.yaml`)), version);
}

/** The schema of one version of a CRD, given as YAML. */
export function schemaOfCrd(crd: string, version: string): Schema {
  const { metadata, spec } = parseYaml(crd) as {
    metadata: { name: string };
    spec: { versions: { name: string; schema: { openAPIV3Schema: RawSchema } }[] };
  };
  const found = spec.versions.find((each) => each.name === version);
  if (found === undefined) throw new Error(`CRD ${metadata.name} lacks version ${version}`);
  return withObjectMeta(new SchemaCompiler().compile(found.schema.openAPIV3Schema));
}

/** What an API server makes of a document. */
export interface Admission {
  /** The document with its defaults, and without the nulls that stand for absent fields. */
  readonly object: unknown;
  /** Why it is refused; empty when it is accepted. */
  readonly faults: readonly FieldError[];
}

/** Fills and judges a document in the order in which an API server does it on create. */
export function admit(schema: Schema, document: unknown): Admission {
  const object = applyDefaults(schema, document);
  return { object, faults: [...validate(schema, object), ...validateRules(schema, object)] };
}
