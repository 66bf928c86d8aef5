import { anything, SchemaCompiler } from "./compile.ts";
import type { RawSchema, Schema } from "./types.ts";

const text: RawSchema = { type: "string" };
const time: RawSchema = { type: "string", format: "date-time" };
const integer: RawSchema = { type: "integer", format: "int64" };
const texts: RawSchema = { type: "object", additionalProperties: text };
const ownerReference: RawSchema = {
  type: "object",
  required: ["apiVersion", "kind", "name", "uid"],
  "x-kubernetes-map-type": "atomic",
  properties: {
    apiVersion: text,
    kind: text,
    name: text,
    uid: text,
    controller: { type: "boolean" },
    blockOwnerDeletion: { type: "boolean" },
  },
};

/** `metadata` as every kind has it, with the list types that server-side apply needs. */
const rawObjectMeta: RawSchema = {
  type: "object",
  properties: {
    annotations: texts,
    creationTimestamp: { ...time, nullable: true },
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: time,
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set", "x-kubernetes-patch-strategy": "merge" },
    generateName: text,
    generation: integer,
    labels: texts,
    managedFields: {
      type: "array",
      items: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      "x-kubernetes-list-type": "atomic",
    },
    name: text,
    namespace: text,
    ownerReferences: {
      type: "array",
      items: ownerReference,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "uid",
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};

const textSchema = new SchemaCompiler().compile(text);

/** The schema of `metadata`. It is a value struct: an absent one equals `{}`. */
export const objectMeta: Schema = { ...new SchemaCompiler().compile(rawObjectMeta), valueStruct: true };

/**
 * The schema of a whole custom resource: what the CRD says, with `apiVersion`, `kind` and `metadata` as Kubernetes
 * types them. Without a CRD schema, everything beside them is kept.
 */
export function withObjectMeta(schema: Schema = anything): Schema {
  const properties = new Map(schema.properties);
  properties.set("apiVersion", textSchema);
  properties.set("kind", textSchema);
  properties.set("metadata", objectMeta);
  return { ...schema, type: "object", properties };
}
