import type { Schema } from "@kyma-operators/schema";
import type { Fields } from "./shape.ts";

/**
 * The API versions in which managers may have written one object. Needed only where versions differ in their fields;
 * for a CRD with conversion `None` the default (one schema, no conversion) is right.
 */
export interface Versions {
  /** Undefined when the version is not served any more: what was owned in its terms is then owned by nobody. */
  schemaOf(apiVersion: string): Schema | undefined;
  /** Also asked for objects that lack parts, while fields are being removed. */
  convert(object: Fields, apiVersion: string): Fields;
}

export function singleVersion(schema: Schema): Versions {
  return { schemaOf: () => schema, convert: (object) => object };
}
