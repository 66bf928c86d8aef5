import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { type RawSchema, type Schema, SchemaCompiler, withObjectMeta } from "@kyma-operators/schema";
import {
  applyObject,
  fieldsOwnedBy,
  formatConflict,
  formatConflicts,
  parseFieldsV1,
  updateManagedFields,
  type Versions,
} from "./index.ts";

const text: RawSchema = { type: "string" };
const compile = (properties: Readonly<Record<string, RawSchema>>): Schema =>
  withObjectMeta(
    new SchemaCompiler().compile({ type: "object", properties: { spec: { type: "object", properties } } }),
  );
const objectOf = (spec: object, apiVersion = "example.com/v1") => ({
  apiVersion,
  kind: "Sample",
  metadata: { name: "x" },
  spec,
});
const now = "2026-01-01T00:00:00Z";
const later = "2026-01-02T00:00:00Z";

describe("conflicts", () => {
  const schema = compile({ a: text, b: text });
  const live = applyObject({
    live: undefined,
    applied: objectOf({ a: "1", b: "1" }),
    manager: "first",
    schema,
    now,
  }).object;

  test("name the manager and the field, and leave the object alone", () => {
    const { object, conflicts } = applyObject({
      live,
      applied: objectOf({ a: "2" }),
      manager: "second",
      schema,
      now: later,
    });

    equal(object, live);
    equal(formatConflicts(conflicts), 'Apply failed with 1 conflict: conflict with "first": .spec.a');
    deepEqual(conflicts.map(formatConflict), ['conflict with "first"']);
  });

  test("with several fields are listed by manager", () => {
    const { conflicts } = applyObject({
      live,
      applied: objectOf({ a: "2", b: "2" }),
      manager: "second",
      schema,
      now: later,
    });

    equal(formatConflicts(conflicts), 'Apply failed with 2 conflicts: conflicts with "first":\n- .spec.a\n- .spec.b');
  });

  test("an updater is named with its API version and subresource", () => {
    const next = { ...live, spec: { a: "3", b: "1" } };
    const edited = updateManagedFields({ live, next, manager: "editor", subresource: "scale", schema, now });
    const { conflicts } = applyObject({
      live: edited,
      applied: objectOf({ a: "4" }),
      manager: "second",
      schema,
      now: later,
    });

    deepEqual(conflicts.map(formatConflict), ['conflict with "editor" with subresource "scale" using example.com/v1']);
  });
});

describe("API versions", () => {
  const v1 = compile({ size: text, other: text });
  const v2 = compile({ amount: text, other: text });
  const renamed = (spec: Readonly<Record<string, unknown>>, from: string, to: string): object => {
    const { [from]: value, ...rest } = spec;
    return value === undefined ? spec : { ...rest, [to]: value };
  };
  const versions: Versions = {
    schemaOf: (apiVersion) => ({ "example.com/v1": v1, "example.com/v2": v2 })[apiVersion],
    convert: (object, apiVersion) => {
      const spec = object.spec as Readonly<Record<string, unknown>> | undefined;
      // While fields are being removed, an object may be without any of its parts.
      if (object.apiVersion === apiVersion || spec === undefined) return { ...object, apiVersion };
      const toNew = apiVersion === "example.com/v2";
      return { ...object, apiVersion, spec: renamed(spec, toNew ? "size" : "amount", toNew ? "amount" : "size") };
    },
  };
  const apply = (live: object | undefined, spec: object, manager: string, apiVersion: string) =>
    applyObject({
      live,
      applied: objectOf(spec, apiVersion),
      manager,
      schema: apiVersion === "example.com/v1" ? v1 : v2,
      versions,
      now,
    });

  test("a manager of another version is asked in its own terms", () => {
    const old = apply(undefined, { size: "1" }, "old", "example.com/v1").object;
    const live = versions.convert(old as Readonly<Record<string, unknown>>, "example.com/v2");

    equal(
      formatConflicts(apply(live, { amount: "2" }, "new", "example.com/v2").conflicts),
      'Apply failed with 1 conflict: conflict with "old": .spec.size',
    );
  });

  test("an applier that moves to a new version still removes what it leaves out", () => {
    const old = apply(undefined, { size: "1", other: "x" }, "one", "example.com/v1").object;
    const live = versions.convert(old as Readonly<Record<string, unknown>>, "example.com/v2");
    const { object } = apply(live, { other: "x" }, "one", "example.com/v2");

    deepEqual((object as { spec: unknown }).spec, { other: "x" });
    deepEqual(fieldsOwnedBy(object, "one"), [".spec.other"]);
  });

  test("what was owned in a version that is gone is owned by nobody", () => {
    const old = apply(undefined, { size: "1" }, "old", "example.com/v1").object;
    const entries = (old as { metadata: { managedFields: readonly object[] } }).metadata.managedFields;
    const gone = {
      ...old,
      metadata: { name: "x", managedFields: entries.map((entry) => ({ ...entry, apiVersion: "example.com/v0" })) },
    };

    deepEqual(fieldsOwnedBy(apply(gone, { other: "x" }, "new", "example.com/v1").object, "old"), []);
  });
});

describe("a schema that changed", () => {
  const map = (mapType: string): RawSchema => ({
    type: "object",
    "x-kubernetes-map-type": mapType,
    properties: { x: text, y: text },
  });

  test("who owned a part of a map that has become atomic owns the whole of it", () => {
    const granular = compile({ map: map("granular") });
    const live = applyObject({
      live: undefined,
      applied: objectOf({ map: { x: "1" } }),
      manager: "one",
      schema: granular,
      now,
    }).object;
    const { conflicts } = applyObject({
      live,
      applied: objectOf({ map: { x: "1", y: "1" } }),
      manager: "two",
      schema: compile({ map: map("atomic") }),
      now,
    });

    equal(formatConflicts(conflicts), 'Apply failed with 1 conflict: conflict with "one": .spec.map');
  });
});

describe("owners", () => {
  const schema = compile({ m: { type: "object", additionalProperties: text } });

  test("are capped: the oldest updaters become ancient-changes", () => {
    let live = updateManagedFields({ live: undefined, next: objectOf({ m: { k0: "1" } }), manager: "m0", schema, now });
    for (let at = 1; at <= 12; at++) {
      const m = { ...(live.spec as { m: object }).m, [`k${at}`]: "1" };
      const time = `2026-01-01T00:00:${String(at).padStart(2, "0")}Z`;
      live = updateManagedFields({ live, next: { ...live, spec: { m } }, manager: `m${at}`, schema, now: time });
    }
    const entries = (live.metadata as { managedFields?: { manager: string }[] }).managedFields ?? [];

    equal(entries.length, 10);
    equal(
      entries.some(({ manager }) => manager === "ancient-changes"),
      true,
    );
    deepEqual(fieldsOwnedBy(live, "ancient-changes").includes(".spec.m.k0"), true);
  });

  test("an object that nobody tracked belongs to before-first-apply", () => {
    const live = objectOf({ m: { a: "1" } });
    const { conflicts } = applyObject({ live, applied: objectOf({ m: { a: "2" } }), manager: "one", schema, now });

    equal(
      formatConflicts(conflicts),
      'Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.m.a',
    );
  });

  test("one empty entry in an update forgets them all", () => {
    const live = applyObject({
      live: undefined,
      applied: objectOf({ m: { a: "1" } }),
      manager: "one",
      schema,
      now,
    }).object;
    const next = { ...live, metadata: { name: "x", managedFields: [{}] } };

    const stored: { metadata?: unknown } = updateManagedFields({ live, next, manager: "editor", schema, now });
    deepEqual(stored.metadata, { name: "x" });
  });

  test("through a subresource the stored ones count, whatever the request says", () => {
    const live = applyObject({
      live: undefined,
      applied: objectOf({ m: { a: "1" } }),
      manager: "one",
      schema,
      now,
    }).object;
    const next = { ...live, metadata: { name: "x", managedFields: [{}] } };
    const stored = updateManagedFields({ live, next, manager: "editor", subresource: "status", schema, now });

    deepEqual(fieldsOwnedBy(stored, "one"), [".spec.m.a"]);
  });
});

describe("malformed managedFields", () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["a list", []],
    ["an unknown kind of element", { "x:a": {} }],
    ["keys that are no JSON", { "k:{": {} }],
    ["an index that is no number", { "i:a": {} }],
    ["a value in place of a set", { "f:a": 1 }],
  ];
  for (const [name, fields] of cases) {
    test(`${name} is refused with its code`, () => {
      throws(() => parseFieldsV1(fields), { code: "SSA_FIELDS_INVALID" });
    });
  }

  test("nesting without end is refused, not run into the ground", () => {
    let fields: object = {};
    for (let depth = 0; depth < 5_000; depth++) fields = { "f:a": fields };

    throws(() => parseFieldsV1(fields), { code: "SSA_FIELDS_INVALID" });
  });

  test("an update starts anew from unreadable ones", () => {
    const schema = compile({ a: text });
    const live = {
      ...objectOf({ a: "1" }),
      metadata: { name: "x", managedFields: [{ manager: "m", fieldsV1: { "x:": {} } }] },
    };
    const next = { ...live, spec: { a: "2" } };

    deepEqual(updateManagedFields({ live, next, manager: "editor", schema, now }).metadata, { name: "x" });
  });
});
