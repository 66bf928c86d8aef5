import type { ConformanceCase } from "../case.ts";
import {
  brief,
  crds,
  creates,
  definition,
  install,
  object,
  remove,
  rule,
  thing,
  things,
  update,
  withStatus,
} from "./definition-shapes.ts";

/** Objects of CustomResourceDefinitions. */
export const customObjects: readonly ConformanceCase[] = [
  creates("keeps known fields", object({ a: { type: "string" } }), { a: "x" }),
  creates("prunes unknown fields", object({ a: { type: "string" } }), { a: "x", b: "y" }),
  creates(
    "refuses unknown fields when strict",
    object({ a: { type: "string" } }),
    { a: "x", b: "y" },
    "?fieldValidation=Strict",
  ),
  creates("warns of unknown fields", object({ a: { type: "string" } }), { b: { c: 1 } }, "?fieldValidation=Warn"),
  creates(
    "keeps unknown fields where told",
    object({ a: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }),
    { a: { any: [1, "x", null] }, b: 1 },
  ),
  creates(
    "fills defaults",
    object({
      a: { type: "string", default: "d" },
      o: object({ n: { type: "integer", default: 3 } }, { default: {} }),
      l: { type: "array", items: object({ x: { type: "boolean", default: true } }) },
    }),
    { l: [{}] },
  ),
  creates("replaces a null by its default", object({ a: { type: "string", default: "d" } }), { a: null }),
  creates("drops a null that is not allowed", object({ a: { type: "string" } }), { a: null }),
  creates("keeps a null that is allowed", object({ a: { type: "string", nullable: true, default: "d" } }), { a: null }),
  creates(
    "needs required fields",
    object({ a: { type: "string" }, b: { type: "string" } }, { required: ["a", "b"] }),
    {},
  ),
  creates("refuses a wrong type", object({ a: { type: "integer" } }), { a: "x" }),
  creates("refuses a fraction", object({ a: { type: "integer" } }), { a: 1.5 }),
  creates("takes a whole number for a number", object({ a: { type: "number" } }), { a: 1 }),
  creates("refuses a text below its length", object({ a: { type: "string", minLength: 3 } }), { a: "x" }),
  creates("refuses a text above its length", object({ a: { type: "string", maxLength: 3 } }), { a: "xxxx" }),
  creates("refuses a text off its pattern", object({ a: { type: "string", pattern: "^a+$" } }), { a: "b" }),
  creates("refuses a number below its minimum", object({ a: { type: "integer", minimum: 3 } }), { a: 1 }),
  creates("refuses a number above its maximum", object({ a: { type: "number", maximum: 3 } }), { a: 3.5 }),
  creates("refuses an exclusive bound", object({ a: { type: "integer", minimum: 3, exclusiveMinimum: true } }), {
    a: 3,
  }),
  creates("refuses a number off its step", object({ a: { type: "integer", multipleOf: 3 } }), { a: 4 }),
  creates("refuses a value off its list", object({ a: { type: "string", enum: ["x", "y"] } }), { a: "z" }),
  creates("refuses too many items", object({ a: { type: "array", maxItems: 1, items: { type: "string" } } }), {
    a: ["x", "y"],
  }),
  creates("refuses too few items", object({ a: { type: "array", minItems: 1, items: { type: "string" } } }), { a: [] }),
  creates(
    "refuses too many properties",
    object({ a: { type: "object", maxProperties: 1, additionalProperties: { type: "string" } } }),
    { a: { x: "1", y: "2" } },
  ),
  creates(
    "refuses a bad item deep inside",
    object({
      a: { type: "array", items: object({ b: { type: "object", additionalProperties: { type: "integer" } } }) },
    }),
    { a: [{ b: { k: 1 } }, { b: { k: "x" } }] },
  ),
  creates(
    "refuses twins in a set",
    object({ a: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } } }),
    { a: ["x", "x"] },
  ),
  creates(
    "refuses twins in a map list",
    object({
      a: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: object({ k: { type: "string" } }, { required: ["k"] }),
      },
    }),
    { a: [{ k: "x" }, { k: "x" }] },
  ),
  creates(
    "takes integers and texts",
    object({ a: { "x-kubernetes-int-or-string": true }, b: { "x-kubernetes-int-or-string": true } }),
    { a: 5, b: "50%" },
  ),
  creates("refuses a boolean for an integer or text", object({ a: { "x-kubernetes-int-or-string": true } }), {
    a: true,
  }),
  creates("checks the format date-time", object({ a: { type: "string", format: "date-time" } }), { a: "yesterday" }),
  creates("checks the format uuid", object({ a: { type: "string", format: "uuid" } }), { a: "x" }),
  creates("checks the format ipv4", object({ a: { type: "string", format: "ipv4" } }), { a: "1.2.3" }),
  creates("checks the format byte", object({ a: { type: "string", format: "byte" } }), { a: "%%%" }),
  creates("ignores an unknown format", object({ a: { type: "string", format: "poem" } }), { a: "x" }),
  creates(
    "checks anyOf",
    object({ a: { type: "string" }, b: { type: "string" } }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
    {},
  ),
  creates(
    "checks oneOf",
    object({ a: { type: "string" }, b: { type: "string" } }, { oneOf: [{ required: ["a"] }, { required: ["b"] }] }),
    { a: "x", b: "y" },
  ),
  creates("checks not", object({ a: { type: "string" } }, { not: { required: ["a"] } }), { a: "x" }),
  creates("checks a rule", object({ a: { type: "integer" }, b: { type: "integer" } }, rule("self.a < self.b")), {
    a: 2,
    b: 1,
  }),
  creates("passes a rule", object({ a: { type: "integer" }, b: { type: "integer" } }, rule("self.a < self.b")), {
    a: 1,
    b: 2,
  }),
  creates(
    "shows a rule's message",
    object({ a: { type: "integer" } }, rule("self.a > 0", { message: "must be positive" })),
    { a: 0 },
  ),
  creates(
    "shows a rule's message expression",
    object({ a: { type: "integer" } }, rule("self.a > 0", { messageExpression: "'found nothing'" })),
    { a: 0 },
  ),
  creates(
    "shows a rule's reason and field",
    object({ a: { type: "integer" } }, rule("self.a > 0", { reason: "FieldValueForbidden", fieldPath: ".a" })),
    { a: 0 },
  ),
  creates(
    "checks rules inside lists",
    object({
      l: { type: "array", maxItems: 5, items: { type: "string", maxLength: 9, ...rule("self.startsWith('a')") } },
    }),
    { l: ["a", "b"] },
  ),
  {
    name: "custom: transition rule holds on update",
    steps: [
      ...install({ spec: object({ a: { type: "string", ...rule("self == oldSelf", { message: "is immutable" }) } }) }),
      { request: `POST ${things}`, body: thing({ a: "x" }), only: brief },
      update({ spec: { a: "y" } }),
      update({ spec: { a: "x" } }),
      remove,
    ],
  },
  {
    name: "custom: status is apart",
    steps: [
      ...install({ version: withStatus }),
      { request: `POST ${things}`, body: thing({ a: 1 }, { status: { s: 1 } }), only: [...brief, "status"] },
      update({ status: { s: 2 } }),
      update({ status: { s: 3 }, spec: { a: 9 } }, "/status"),
      update({ spec: { a: 2 } }),
      update({ metadata: { labels: { l: "x" } }, status: { s: 4 } }, "/status"),
      { request: `GET ${things}/t`, only: ["metadata.labels", "status", "metadata.generation"] },
      remove,
    ],
  },
  {
    name: "custom: without status subresource",
    steps: [
      ...install(),
      { request: `POST ${things}`, body: thing({ a: 1 }, { status: { s: 1 } }), only: [...brief, "status"] },
      update({ status: { s: 2 } }),
      { request: `PATCH ${things}/t/status`, type: "application/merge-patch+json", body: {}, only: ["code", "reason"] },
      remove,
    ],
  },
  {
    name: "custom: scale",
    steps: [
      ...install({
        version: {
          subresources: {
            status: {},
            scale: {
              specReplicasPath: ".spec.replicas",
              statusReplicasPath: ".status.replicas",
              labelSelectorPath: ".status.selector",
            },
          },
        },
        spec: object({ replicas: { type: "integer" } }),
      }),
      { request: `POST ${things}`, body: thing({ replicas: 2 }), only: brief },
      update({ status: { replicas: 2, selector: "a=b" } }, "/status"),
      { request: `GET ${things}/t/scale` },
      {
        request: `PATCH ${things}/t/scale`,
        type: "application/merge-patch+json",
        body: { spec: { replicas: 5 } },
        only: ["spec"],
      },
      { request: `GET ${things}/t`, only: ["spec", "metadata.generation"] },
      remove,
    ],
  },
  {
    name: "custom: refuses a strategic patch",
    steps: [
      ...install(),
      { request: `POST ${things}`, body: thing({}), only: brief },
      { request: `PATCH ${things}/t`, type: "application/strategic-merge-patch+json", body: {} },
      remove,
    ],
  },
  {
    name: "custom: applies",
    steps: [
      ...install({
        spec: object({
          a: { type: "string" },
          l: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            items: object({ k: { type: "string" }, v: { type: "string" } }, { required: ["k"] }),
          },
        }),
      }),
      {
        request: `PATCH ${things}/t?fieldManager=a`,
        type: "application/apply-patch+yaml",
        body: thing({ a: "x", l: [{ k: "1", v: "1" }] }),
        only: ["spec", "metadata.managedFields"],
      },
      {
        request: `PATCH ${things}/t?fieldManager=b`,
        type: "application/apply-patch+yaml",
        body: thing({ l: [{ k: "2", v: "2" }] }),
        only: ["spec", "metadata.managedFields"],
      },
      {
        request: `PATCH ${things}/t?fieldManager=b`,
        type: "application/apply-patch+yaml",
        body: thing({ a: "y" }),
        only: ["spec", "message"],
      },
      {
        request: `PATCH ${things}/t?fieldManager=b`,
        type: "application/apply-patch+yaml",
        body: thing({ unknown: "y" }),
        only: ["spec", "message", "code"],
      },
      remove,
    ],
  },
  {
    name: "custom: columns",
    steps: [
      ...install({
        version: {
          additionalPrinterColumns: [
            { name: "A", type: "string", jsonPath: ".spec.a" },
            { name: "N", type: "integer", jsonPath: ".spec.n", description: "a number" },
            { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
            { name: "Wide", type: "boolean", jsonPath: ".spec.b", priority: 1 },
          ],
        },
      }),
      {
        request: `POST ${things}`,
        body: thing(
          { a: "x", n: 4, b: true },
          {
            status: {
              conditions: [
                { type: "Other", status: "False" },
                { type: "Ready", status: "True" },
              ],
            },
          },
        ),
        only: brief,
      },
      {
        request: `GET ${things}?includeObject=None`,
        headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
        only: ["columnDefinitions", "rows"],
      },
      remove,
    ],
  },
  {
    name: "custom: default columns",
    steps: [
      ...install(),
      {
        request: `GET ${things}`,
        headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
        only: ["columnDefinitions", "rows"],
      },
      remove,
    ],
  },
  {
    name: "custom: selectable fields",
    steps: [
      ...install({
        spec: object({ color: { type: "string" } }),
        version: { selectableFields: [{ jsonPath: ".spec.color" }] },
      }),
      { request: `POST ${things}`, body: thing({ color: "red" }), only: brief },
      { request: `GET ${things}?fieldSelector=spec.color%3Dred`, only: ["items.length"] },
      { request: `GET ${things}?fieldSelector=spec.color%3Dblue`, only: ["items.length"] },
      { request: `GET ${things}?fieldSelector=spec.size%3Dbig` },
      remove,
    ],
  },
  {
    name: "custom: several versions",
    steps: [
      ...install({
        more: [
          {
            name: "v2",
            served: true,
            storage: false,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
          { name: "v3", served: false, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      }),
      { request: `POST ${things}`, body: thing({ a: 1 }), only: ["apiVersion", "spec"] },
      { request: "GET /apis/{ns}.example.com/v2/namespaces/{ns}/things/t", only: ["apiVersion", "spec"] },
      { request: "GET /apis/{ns}.example.com/v3/namespaces/{ns}/things/t", only: ["code"] },
      { request: "GET /apis/{ns}.example.com", only: ["versions", "preferredVersion"] },
      remove,
    ],
  },
  {
    name: "custom: cluster scope",
    steps: [
      { request: `POST ${crds}`, body: definition({ scope: "Cluster" }), only: ["kind"] },
      { until: "/apis/{ns}.example.com/v1/things", status: 200 },
      {
        request: "POST /apis/{ns}.example.com/v1/things",
        body: thing({}),
        only: ["metadata.name", "metadata.namespace"],
      },
      { request: `GET ${things}`, only: ["code"] },
      remove,
    ],
  },
  {
    name: "custom: deprecated version warns",
    steps: [...install({ version: { deprecated: true } }), { request: `GET ${things}`, only: ["kind"] }, remove],
  },
  {
    name: "custom: embedded resource",
    steps: [
      ...install({
        spec: object({
          o: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
        }),
      }),
      {
        request: `POST ${things}`,
        body: thing({
          o: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "n", labels: { a: "b" } }, data: { a: "1" } },
        }),
        only: brief,
      },
      { request: `POST ${things}`, body: { ...thing({ o: { data: 1 } }), metadata: { name: "u" } }, only: brief },
      remove,
    ],
  },
];
