import { anything, SchemaCompiler } from "./compile.ts";
import { rawIdentity } from "./object-meta.ts";
import type { Schema } from "./types.ts";

const identity = new SchemaCompiler().compile({ type: "object", properties: rawIdentity }).properties;

/**
 * The schema of a whole custom resource: what the CRD says, with `apiVersion`, `kind` and `metadata` as Kubernetes
 * types them. Without a CRD schema, everything beside them is kept.
 */
export function withObjectMeta(schema: Schema = anything): Schema {
  const properties = new Map([...schema.properties, ...identity]);
  const metadata = properties.get("metadata");
  // Kubernetes always stores metadata: an absent one equals an empty one.
  if (metadata !== undefined) properties.set("metadata", { ...metadata, zero: Object.freeze({}) });
  return { ...schema, type: "object", properties, embeddedResource: true };
}
