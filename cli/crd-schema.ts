import { join } from "node:path";
import { type RawSchema, type Schema, SchemaCompiler, withObjectMeta } from "@kyma-operators/schema";
import { parseYaml } from "@kyma-operators/yaml";
import { productRoot } from "../local/product-files.ts";
import type { Io } from "./io.ts";

/**
 * The schema by which an API server judges objects of a CRD of ours.
 *
 * @param name - of the CRD: group and plural, `operator.kyma-project.io_kymas`.
 */
export async function readCrdSchema(io: Io, name: string, version: string): Promise<Schema> {
  const crd = parseYaml(await io.files.readText(join(productRoot(), "crds", `${name}.yaml`)));
  const { spec } = crd as { spec: { versions: { name: string; schema: { openAPIV3Schema: RawSchema } }[] } };
  const found = spec.versions.find((each) => each.name === version);
  if (found === undefined) throw new Error(`CRD ${name} lacks version ${version}`);
  return withObjectMeta(new SchemaCompiler().compile(found.schema.openAPIV3Schema));
}
