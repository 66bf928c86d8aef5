import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { SchemaCompiler, withObjectMeta } from "@kyma-operators/schema";
import * as fc from "fast-check";
import {
  applyObject,
  difference,
  equalSets,
  type FieldSet,
  fieldsOwnedBy,
  formatFieldsV1,
  formatPath,
  intersection,
  isEmptySet,
  ownedSet,
  parseFieldsV1,
  pathsOf,
  stripManagedFields,
  toFieldSet,
  union,
  updateManagedFields,
} from "./index.ts";

const text = { type: "string" };
const schema = withObjectMeta(
  new SchemaCompiler().compile({
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          a: text,
          b: text,
          atomic: { type: "array", items: text },
          set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
          map: { type: "object", additionalProperties: text },
          struct: { type: "object", properties: { x: text, y: text } },
          keyed: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name", "port"],
            items: {
              type: "object",
              required: ["name"],
              properties: { name: text, port: { type: "integer", default: 1 }, v: text },
            },
          },
        },
      },
    },
  }),
);
const now = "2026-01-01T00:00:00Z";
const later = "2026-01-02T00:00:00Z";

const letter = fc.constantFrom("p", "q", "r");
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
/** Containers are never empty here: what an empty one owns is told by the recorded histories. */
const spec = fc
  .record(
    {
      a: letter,
      b: letter,
      atomic: fc.array(letter, { minLength: 1, maxLength: 3 }),
      set: fc.uniqueArray(letter, { minLength: 1 }),
      map: fc.dictionary(letter, letter, { minKeys: 1 }),
      struct: fc.record({ x: letter, y: optional(letter) }),
      keyed: fc.uniqueArray(fc.record({ name: letter, port: fc.constantFrom(1, 2), v: optional(letter) }), {
        minLength: 1,
        maxLength: 3,
        selector: ({ name, port }) => `${name}${port}`,
      }),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

const objectOf = (content: object) => ({
  apiVersion: "example.com/v1",
  kind: "Sample",
  metadata: { name: "x" },
  spec: content,
});
const bounded = { numRuns: 150 };

type Live = object | undefined;
function apply(live: Live, content: object, manager: string, at = now): object {
  return applyObject({ live, applied: objectOf(content), manager, force: true, schema, now: at }).object;
}

const history = fc.array(fc.record({ manager: fc.constantFrom("one", "two", "three"), content: spec }), {
  minLength: 1,
  maxLength: 5,
});

function play(steps: readonly { readonly manager: string; readonly content: object }[]): object {
  return steps.reduce<Live>((live, { manager, content }) => apply(live, content, manager), undefined) ?? objectOf({});
}

describe("laws of apply", () => {
  test("applying the same again changes nothing, not even the time", () => {
    fc.assert(
      fc.property(history, (steps) => {
        const live = play(steps);
        const last = steps.at(-1);
        ok(last);

        equal(apply(live, last.content, last.manager, later), live);
      }),
      bounded,
    );
  });

  test("who applies by force owns exactly what it applied", () => {
    fc.assert(
      fc.property(history, (steps) => {
        const live = play(steps);
        const last = steps.at(-1);
        ok(last);
        const wanted = [...pathsOf(toFieldSet(schema, { spec: last.content }))].map(formatPath);

        deepEqual(fieldsOwnedBy(live, last.manager), wanted);
      }),
      bounded,
    );
  });

  test("every owned path is there", () => {
    fc.assert(
      fc.property(history, (steps) => {
        const live = play(steps);
        const there = toFieldSet(schema, stripManagedFields(live));

        for (const manager of ["one", "two", "three"]) ok(isEmptySet(difference(ownedSet(live, manager), there)));
      }),
      bounded,
    );
  });

  test("nothing is left of a manager that applies nothing any more", () => {
    fc.assert(
      fc.property(spec, (content) => {
        const live = apply(apply(undefined, { ...content, a: "p" }, "one"), { a: "p" }, "one");

        deepEqual(stripManagedFields(live), objectOf({ a: "p" }));
      }),
      bounded,
    );
  });

  test("managers with different fields may come in any order", () => {
    fc.assert(
      fc.property(spec, spec, (left, right) => {
        const names = new Set(["a", "atomic", "map", "keyed"]);
        const mine = Object.fromEntries(Object.entries(left).filter(([name]) => names.has(name)));
        const theirs = Object.fromEntries(Object.entries(right).filter(([name]) => !names.has(name)));

        deepEqual(
          apply(apply(undefined, mine, "one"), theirs, "two"),
          apply(apply(undefined, theirs, "two"), mine, "one"),
        );
      }),
      bounded,
    );
  });

  test("without force, an apply either conflicts and changes nothing, or takes nothing from anybody", () => {
    fc.assert(
      fc.property(history, spec, (steps, content) => {
        const live = play(steps);
        const result = applyObject({ live, applied: objectOf(content), manager: "four", schema, now: later });
        if (result.conflicts.length > 0) return equal(result.object, live);
        for (const manager of ["one", "two", "three"]) {
          ok(equalSets(ownedSet(result.object, manager), ownedSet(live, manager)));
        }
      }),
      bounded,
    );
  });
});

describe("laws of update", () => {
  test("a write that changes nothing changes no owner", () => {
    fc.assert(
      fc.property(history, (steps) => {
        const live = play(steps);

        equal(updateManagedFields({ live, next: live, manager: "editor", schema, now: later }), live);
      }),
      bounded,
    );
  });

  test("the writer comes to own what it changed, and nobody else does", () => {
    fc.assert(
      fc.property(history, spec, (steps, content) => {
        const live = play(steps);
        const next = { ...stripManagedFields(live), spec: content };
        const stored = updateManagedFields({ live, next, manager: "editor", schema, now: later });
        const mine = ownedSet(stored, "editor");

        for (const manager of ["one", "two", "three"]) ok(isEmptySet(intersection(mine, ownedSet(stored, manager))));
      }),
      bounded,
    );
  });
});

describe("laws of field sets", () => {
  const set = spec.map((content) => toFieldSet(schema, { spec: content }));
  const texts = (fields: FieldSet): readonly string[] => [...pathsOf(fields)].map(formatPath).sort();

  test("union, intersection and difference agree with those of their paths", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const [left, right] = [texts(a), texts(b)];

        deepEqual(texts(union(a, b)), [...new Set([...left, ...right])].sort());
        deepEqual(
          texts(intersection(a, b)),
          left.filter((path) => right.includes(path)),
        );
        deepEqual(
          texts(difference(a, b)),
          left.filter((path) => !right.includes(path)),
        );
      }),
      bounded,
    );
  });

  test("FieldsV1 tells a set completely", () => {
    fc.assert(
      fc.property(set, (fields) =>
        ok(equalSets(parseFieldsV1(JSON.parse(JSON.stringify(formatFieldsV1(fields)))), fields)),
      ),
      bounded,
    );
  });
});
