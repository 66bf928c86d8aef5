import type { ConformanceCase } from "../case.ts";
import { crds, definition, install, object, refused, remove, rule, thing, things } from "./definition-shapes.ts";

/** CustomResourceDefinitions. */
export const definitions: readonly ConformanceCase[] = [
  {
    name: "definition: is established",
    steps: [
      { request: `POST ${crds}`, body: definition(), only: ["spec", "metadata.generation", "metadata.finalizers"] },
      {
        until: `${crds}/things.{ns}.example.com`,
        holds: { status: { conditions: [{ type: "Established", status: "True" }] } },
      },
      {
        request: `GET ${crds}/things.{ns}.example.com`,
        only: ["status.acceptedNames", "status.storedVersions", "status.conditions"],
      },
      remove,
    ],
  },
  {
    name: "definition: shows its resource",
    steps: [
      ...install({
        names: { shortNames: ["th"], categories: ["all"] },
        version: {
          subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
        },
      }),
      { request: "GET /apis/{ns}.example.com/v1" },
      { request: "GET /apis/{ns}.example.com" },
      remove,
    ],
  },
  {
    name: "definition: takes its objects along",
    steps: [
      ...install(),
      { request: `POST ${things}`, body: thing({}), only: ["kind"] },
      remove,
      { until: `${crds}/things.{ns}.example.com`, status: 404 },
      { until: things, status: 404 },
    ],
  },
  refused("another name", { names: { plural: "others" } }),
  refused("no storage version", { version: { storage: false } }),
  refused("two storage versions", {
    more: [{ name: "v2", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  }),
  refused("no schema", { version: { schema: null } }),
  refused("a schema without type", { spec: { properties: { a: { type: "string" } } } }),
  refused("an unknown type", { spec: { type: "text" } }),
  refused("properties beside additionalProperties", {
    spec: { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
  }),
  refused("a list without items", { spec: object({ a: { type: "array" } }) }),
  refused("a list type without keys", {
    spec: object({ a: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" } }),
  }),
  refused("an unknown list type", {
    spec: object({ a: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "bag" } }),
  }),
  refused("unique items", { spec: object({ a: { type: "array", uniqueItems: true, items: { type: "string" } } }) }),
  refused("a default of a wrong type", { spec: object({ a: { type: "string", default: 5 } }) }),
  refused("a bad pattern", { spec: object({ a: { type: "string", pattern: "(" } }) }),
  refused("a rule that does not compile", { spec: object({ a: { type: "string" } }, rule("self.b == 1")) }),
  refused("a rule of another type", { spec: object({ a: { type: "string" } }, rule("self.a")) }),
  refused("a short name twice", { names: { shortNames: ["Th"] } }),
  refused("an unknown scope", { scope: "Galaxy" }),
  refused("an upper-case plural", { names: { plural: "Things" } }),
  refused("no kind", { names: { kind: "" } }),
  refused("nullable without type", { spec: object({ a: { nullable: true } }) }),
  refused("int-or-string with type", { spec: object({ a: { type: "string", "x-kubernetes-int-or-string": true } }) }),
  refused("an unknown version name", { version: { name: "V 1" } }),
  refused("a printer column without path", { version: { additionalPrinterColumns: [{ name: "A", type: "string" }] } }),
  refused("a printer column of an unknown type", {
    version: { additionalPrinterColumns: [{ name: "A", type: "picture", jsonPath: ".a" }] },
  }),
  refused("a scale without paths", { version: { subresources: { scale: {} } } }),
];
