import type { RawSchema } from "./types.ts";

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
export const rawObjectMeta: RawSchema = {
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

/** What every object says of itself. */
export const rawIdentity: Readonly<Record<string, RawSchema>> = {
  apiVersion: text,
  kind: text,
  metadata: rawObjectMeta,
};
