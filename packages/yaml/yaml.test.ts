import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { hasCode } from "@kyma-operators/errors";
import * as fc from "fast-check";
import { formatYaml, formatYamlDocuments, parseYaml, parseYamlDocuments } from "./index.ts";

describe("parseYaml", () => {
  const cases: readonly { name: string; text: string; value: unknown }[] = [
    {
      name: "takes the YAML 1.1 words for booleans",
      text: "[y, Yes, on, n, NO, off]",
      value: [true, true, true, false, false, false],
    },
    {
      name: "reads integers of every base",
      text: "[0777, 0o17, 0x1F, 0b11, 1_000, +1, -0]",
      value: [511, 15, 31, 3, 1000, 1, 0],
    },
    { name: "reads what looks octal but is not as a float", text: "[08, 1e3, .5, 5.]", value: [8, 1000, 0.5, 5] },
    {
      name: "keeps dates, times and base-60 numbers as texts",
      text: "[2024-01-02, 12:30:45]",
      value: ["2024-01-02", "12:30:45"],
    },
    { name: "keeps numbers out of range as texts", text: "1e400", value: "1e400" },
    { name: "makes texts of keys", text: "{on: 1, 2: 2, 1.5: 3}", value: { true: 1, "2": 2, "1.5": 3 } },
    { name: "lets the last of equal keys win", text: "a: 1\na: 2", value: { a: 2 } },
    {
      name: "lets own keys win over merged ones",
      text: "base: &x {a: 1, b: 1}\nown: {<<: *x, a: 2}",
      value: { base: { a: 1, b: 1 }, own: { a: 2, b: 1 } },
    },
    { name: "gives null for an empty text", text: "# nothing", value: null },
    { name: "reads the first document only", text: "a: 1\n---\nb: 2", value: { a: 1 } },
  ];
  for (const { name, text, value } of cases) {
    test(name, () => deepEqual(parseYaml(text), value));
  }

  test("reads resources with YAML 1.2 words and dates as times", () => {
    deepEqual(parseYaml("[yes, on, true, 2024-01-02]", { dialect: "resource" }), [
      "yes",
      "on",
      true,
      "2024-01-02T00:00:00Z",
    ]);
  });

  test("refuses a repeated key when asked to, with its place", () => {
    throws(
      () => parseYaml("a: 1\na: 2\n", { duplicateKeys: "error", name: "x.yaml" }),
      /^AppError: x.yaml, line 2, column 4: key "a" already set in map$/,
    );
  });

  test("never loses digits of an integer silently", () => {
    throws(() => parseYaml("a: 9007199254740993"), /line 1, column 4: the integer 9007199254740993 is too large/);
    deepEqual(parseYaml("a: 9007199254740993", { integers: "bigint" }), { a: 9007199254740993n });
    deepEqual(parseYaml("a: 9007199254740993", { integers: "float64" }), { a: 9007199254740992 });
  });

  test("keeps __proto__ as data", () => {
    const value = parseYaml("__proto__: {polluted: true}") as Record<string, unknown>;
    deepEqual(Object.keys(value), ["__proto__"]);
    equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  test("gives Maps when asked to", () => {
    deepEqual(parseYaml("a: {b: 1}", { maps: "map" }), new Map([["a", new Map([["b", 1]])]]));
  });

  test("stops an alias bomb", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let index = 1; index < 10; index++) lines.push(`a${index}: &a${index} [${`*a${index - 1}, `.repeat(9)}]`);
    throws(
      () => parseYaml(lines.join("\n")),
      (error) => hasCode(error, "YAML_LIMIT"),
    );
  });

  test("refuses a value that contains itself", () => {
    throws(() => parseYaml("a: &a [*a]"), /anchor 'a' value contains itself/);
  });

  test("stops at the depth limit instead of overflowing the stack", () => {
    for (const text of ["[".repeat(50_000), "- ".repeat(50_000)]) {
      throws(
        () => parseYaml(text),
        (error) => hasCode(error, "YAML_LIMIT") || hasCode(error, "YAML_SYNTAX"),
      );
    }
  });

  test("reads documents in order", () => {
    deepEqual(parseYamlDocuments("a: 1\n---\n---\nb: 2\n...\n"), [{ a: 1 }, null, { b: 2 }]);
  });
});

describe("formatYaml", () => {
  const cases: readonly { name: string; value: unknown; text: string }[] = [
    {
      name: "does not indent lists under their key",
      value: { a: [1, { b: 2, c: [3] }] },
      text: "a:\n- 1\n- b: 2\n  c:\n  - 3\n",
    },
    { name: "writes nested lists on one line", value: [[1, [2]], []], text: "- - 1\n  - - 2\n- []\n" },
    { name: "sorts keys by their numbers", value: { a10: 1, a9: 1, B: 1, b: 1 }, text: "B: 1\na9: 1\na10: 1\nb: 1\n" },
    {
      name: "double-quotes what would read as something else",
      value: ["yes", "1", "2024-01-02", "12:30", "", "~"],
      text: '- "yes"\n- "1"\n- "2024-01-02"\n- "12:30"\n- ""\n- "~"\n',
    },
    {
      name: "single-quotes what its characters forbid to be plain",
      value: ["a: b", "# c", "- d", " e", "it's", "'"],
      text: "- 'a: b'\n- '# c'\n- '- d'\n- ' e'\n- it's\n- ''''\n",
    },
    {
      name: "escapes what is not printable",
      value: ["\t", "😀", "\u0007"],
      text: '- "\\t"\n- "\\U0001F600"\n- "\\a"\n',
    },
    {
      name: "writes lines as a literal block",
      value: { a: "x\ny\n", b: "x\ny", c: "x\n\n", d: " x\n" },
      text: "a: |\n  x\n  y\nb: |-\n  x\n  y\nc: |+\n  x\n\nd: |2\n   x\n",
    },
    {
      name: "writes numbers as Go does",
      value: [1, 1.5, 1e6, 1e20, 1.5e-7, 123456.75, 1234567.5],
      text: "- 1\n- 1.5\n- 1000000\n- 1e+20\n- 1.5e-07\n- 123456.75\n- 1.2345675e+06\n",
    },
    { name: "leaves out undefined members", value: { a: undefined, b: null }, text: "b: null\n" },
  ];
  for (const { name, value, text } of cases) {
    test(name, () => equal(formatYaml(value), text));
  }

  test("folds long texts at blanks beyond column 80", () => {
    const lines = formatYaml({ a: "word ".repeat(30).trim() }).split("\n");
    ok(lines.length > 2 && lines.every((line) => line.length < 90));
  });

  test("what it writes reads back as the same value", () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.string({ unit: "grapheme" }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom("yes", "a: b", " x", "x\n", "\n", "- a", "0x1", "1e3"),
    );
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        scalar,
        fc.array(tie("node"), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie("node"), { maxKeys: 4 }),
      ),
    })).node;
    const clean = (text: string): boolean => !/[\u0085\uD800-\uDFFF\uFEFF\uFFFE\uFFFF]/.test(text);
    fc.assert(
      fc.property(
        value.filter((item) => clean(JSON.stringify(item))),
        (item) => {
          deepEqual(parseYaml(formatYaml(item), { integers: "float64" }), JSON.parse(JSON.stringify(item)));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("separates documents", () => equal(formatYamlDocuments([{ a: 1 }, { b: 2 }]), "a: 1\n---\nb: 2\n"));

  test("refuses what JSON cannot carry", () => {
    for (const value of [Number.NaN, () => 1])
      throws(
        () => formatYaml({ a: value }),
        (error) => hasCode(error, "YAML_UNPRINTABLE"),
      );
  });
});
