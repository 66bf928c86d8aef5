import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { applyDefaults, prune, type RawSchema, SchemaCompiler, unknownFields, type Value } from "./index.ts";

const compile = (raw: RawSchema) => new SchemaCompiler().compile(raw);
const text: RawSchema = { type: "string" };
const open: RawSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

describe("prune", () => {
  const cases: { name: string; schema: RawSchema; value: Value; kept: Value; removed: string[] }[] = [
    {
      name: "removes what no property names, at any depth",
      schema: {
        type: "object",
        properties: { a: text, l: { type: "array", items: { type: "object", properties: { b: text } } } },
      },
      value: { a: "x", z: 1, l: [{ b: "y", q: { deep: 1 } }] },
      kept: { a: "x", l: [{ b: "y" }] },
      removed: ["z", "l[0].q"],
    },
    {
      name: "keeps every key of a map, and prunes its values",
      schema: { type: "object", additionalProperties: { type: "object", properties: { a: text } } },
      value: { k: { a: "x", z: 1 } },
      kept: { k: { a: "x" } },
      removed: ["k.z"],
    },
    {
      name: "keeps unknown fields where the schema asks for it, but prunes below known ones",
      schema: { ...open, properties: { known: { type: "object", properties: { a: text } } } },
      value: { any: { thing: 1 }, known: { a: "x", z: 1 } },
      kept: { any: { thing: 1 }, known: { a: "x" } },
      removed: ["known.z"],
    },
    {
      name: "keeps the identity of an embedded resource",
      schema: { type: "object", properties: { e: { type: "object", "x-kubernetes-embedded-resource": true } } },
      value: { e: { apiVersion: "v1", kind: "X", metadata: { name: "n" }, data: 1 } },
      kept: { e: { apiVersion: "v1", kind: "X", metadata: { name: "n" } } },
      removed: ["e.data"],
    },
    {
      name: "treats a field called __proto__ like any other",
      schema: { type: "object", properties: { a: text } },
      value: JSON.parse('{"a":"x","__proto__":{"polluted":true}}'),
      kept: { a: "x" },
      removed: ["__proto__"],
    },
  ];

  for (const { name, schema, value, kept, removed } of cases) {
    test(name, () => {
      deepEqual(prune(compile(schema), value), { value: kept, removed });
    });
  }

  test("returns the same object when there is nothing to remove", () => {
    const value = { a: "x", l: [{ b: "y" }] };
    const schema = compile({ type: "object", properties: { a: text, l: { type: "array", items: open } } });

    equal(prune(schema, value).value, value);
  });

  test("a root keeps apiVersion, kind and metadata", () => {
    const value = { apiVersion: "v1", kind: "X", metadata: { name: "n" }, spec: {} };

    deepEqual(unknownFields(compile({ type: "object" }), value, { root: true }), ["spec"]);
  });
});

describe("applyDefaults", () => {
  const cases: { name: string; schema: RawSchema; value: Value; filled: Value }[] = [
    {
      name: "fills absent fields, and what is absent inside a default",
      schema: {
        type: "object",
        properties: { o: { type: "object", default: {}, properties: { a: { type: "string", default: "x" } } } },
      },
      value: {},
      filled: { o: { a: "x" } },
    },
    {
      name: "does not touch what is set, false and empty included",
      schema: {
        type: "object",
        properties: { b: { type: "boolean", default: true }, s: { type: "string", default: "x" } },
      },
      value: { b: false, s: "" },
      filled: { b: false, s: "" },
    },
    {
      name: "replaces null by the default unless null is allowed",
      schema: {
        type: "object",
        properties: { a: { type: "string", default: "x" }, n: { type: "string", default: "x", nullable: true } },
      },
      value: { a: null, n: null },
      filled: { a: "x", n: null },
    },
    {
      name: "drops a null that is neither allowed nor defaulted",
      schema: { type: "object", properties: { a: text } },
      value: { a: null },
      filled: {},
    },
    {
      name: "reaches into lists and maps",
      schema: {
        type: "object",
        properties: {
          l: { type: "array", items: { type: "object", properties: { a: { type: "integer", default: 1 } } } },
          m: {
            type: "object",
            additionalProperties: { type: "object", properties: { a: { type: "integer", default: 1 } } },
          },
        },
      },
      value: { l: [{}, { a: 2 }], m: { k: {} } },
      filled: { l: [{ a: 1 }, { a: 2 }], m: { k: { a: 1 } } },
    },
  ];

  for (const { name, schema, value, filled } of cases) {
    test(name, () => {
      deepEqual(applyDefaults(compile(schema), value), filled);
    });
  }

  test("returns the same object when nothing is missing, and never shares a default", () => {
    const schema = compile({ type: "object", properties: { o: { type: "object", default: { k: [] }, ...open } } });
    const value = { o: {} };

    equal(applyDefaults(schema, value), value);
    const [a, b] = [applyDefaults(schema, {}), applyDefaults(schema, {})] as { o?: object }[];
    deepEqual(a, b);
    equal(a?.o === b?.o, false);
  });
});
