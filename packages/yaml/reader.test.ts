import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { isAppError } from "@kyma-operators/errors";
import * as fc from "fast-check";
import { formatYaml, parseYaml, parseYamlDocuments } from "./index.ts";

function goText(text: string): string {
  try {
    parseYaml(text);
  } catch (error) {
    if (isAppError(error)) return (error.detail as { goText: string }).goText;
    throw error;
  }
  return "accepted";
}

describe("the words of Go's reader", () => {
  const cases: readonly (readonly [text: string, goText: string])[] = [
    ["a: b: c", "yaml: mapping values are not allowed in this context"],
    ["a: [1", "yaml: line 1: did not find expected ',' or ']'"],
    ["x: 1\ny: [1\nz: 2\n", "yaml: line 2: did not find expected ',' or ']'"],
    ["{a: 1, b: [1, 2}", "yaml: did not find expected ',' or ']'"],
    ["\ta: 1", "yaml: found character that cannot start any token"],
    ["a: @x", "yaml: found character that cannot start any token"],
    ["a: 1\n- b", "yaml: line 1: did not find expected key"],
    ["- a\nb: 1", "yaml: line 1: did not find expected '-' indicator"],
    ["a: *nope", "yaml: unknown anchor 'nope' referenced"],
    ['a: "x', "yaml: found unexpected end of stream"],
    ['a: "\\q"', "yaml: found unknown escape character"],
    ["a: 'x\u0007'", "yaml: control characters are not allowed"],
    ["a: 1\nb\nc: 2", "yaml: line 3: could not find expected ':'"],
    ["a: b\n  c: d", "yaml: line 2: mapping values are not allowed in this context"],
    ["a: - b", "yaml: block sequence entries are not allowed in this context"],
    ["<<: 1", "yaml: map merge requires map or sequence of maps as the value"],
  ];
  for (const [text, expected] of cases) test(JSON.stringify(text), () => equal(goText(text), expected));
});

describe("scalars of every style", () => {
  const cases: readonly (readonly [text: string, value: unknown])[] = [
    ["a: one\n  two\n\n  three", { a: "one two\nthree" }],
    ["a: |\n  x\n    y\n\n", { a: "x\n  y\n" }],
    ["a: |-\n  x\nb: |+\n  x\n\n", { a: "x", b: "x\n\n" }],
    ["a: >\n  x\n  y\n\n  z\n", { a: "x y\nz\n" }],
    ["a: |2\n   x\n", { a: " x\n" }],
    ["a: 'it''s'", { a: "it's" }],
    ['a: "x\\ny\\u263a\\x41\\\n  z"', { a: "x\ny☺Az" }],
    ["a: 'one\n\n  two'", { a: "one\ntwo" }],
    ["a: b#c # d", { a: "b#c" }],
    ["a: !!str 1\nb: !!binary aGk=", { a: "1", b: "hi" }],
    ["%TAG !e! tag:yaml.org,2002:\n--- !e!str 1", "1"],
  ];
  for (const [text, value] of cases) test(JSON.stringify(text), () => deepEqual(parseYaml(text), value));
});

describe("collections", () => {
  const cases: readonly (readonly [text: string, value: unknown])[] = [
    ["a:\n- 1\n-\n- b: 2\n  c: 3", { a: [1, null, { b: 2, c: 3 }] }],
    ["? a\n: b\n? c", { a: "b", c: null }],
    ["[a: 1, {b: 2}, [3]]", [{ a: 1 }, { b: 2 }, [3]]],
    ["{a, b: , ? c : d}", { a: null, b: null, c: "d" }],
    ["- - 1\n  - 2\n- []", [[1, 2], []]],
    ["a: &x\n  b: 1\nc: *x", { a: { b: 1 }, c: { b: 1 } }],
  ];
  for (const [text, value] of cases) test(JSON.stringify(text), () => deepEqual(parseYaml(text), value));
});

describe("arbitrary input", () => {
  const pieces = fc.constantFrom(
    ..."a,b: ,- ,? ,[,],{,},\n,\n  ,\n    ,\t,|,>,|-,>+,',\",#, #,&x,*x,!,!!str,%,---,...,<<,1,~,yes,:,\\,\u0085,\u2028,😀,\r".split(
      ",",
    ),
    ",",
  );
  const soup = fc.oneof(
    fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary", maxLength: 60 }),
  );

  test("is read or refused with a place, never crashes and never hangs", () => {
    fc.assert(
      fc.property(soup, (text) => {
        try {
          parseYamlDocuments(text);
        } catch (error) {
          ok(isAppError(error) && error.code.startsWith("YAML_"), String(error));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("what is read can be written and read again", () => {
    fc.assert(
      fc.property(soup, (text) => {
        let value: unknown;
        try {
          value = parseYaml(text, { integers: "float64" });
        } catch {
          return;
        }
        if (/[\u0085\ufeff\u007f-\u009f\ufffe\uffff]/.test(JSON.stringify(value))) return;
        deepEqual(parseYaml(formatYaml(value), { integers: "float64" }), value);
      }),
      { numRuns: 1_000 },
    );
  });

  test("a large text takes time in proportion to its length", () => {
    for (const line of ["- a: [1, 2, {b: c}]\n", "- |\n  x\n", '- "a b c"\n', "? a\n: b\n"]) {
      throws(() => parseYaml(`${line.repeat(20_000)}]`));
    }
  });
});
