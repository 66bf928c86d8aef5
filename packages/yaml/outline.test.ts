import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { array, assert, constantFrom, property, tuple } from "fast-check";
import { outlineYaml, parseYaml } from "./index.ts";

const keys = new Set(["kind", "metadata"]);
const isWanted = (key: string): boolean => keys.has(key);
const readOptions = { maps: "map", integers: "float64" } as const;

function chosen(text: string): unknown {
  const root = parseYaml(text, readOptions);
  return root instanceof Map ? new Map([...root].filter(([key]) => keys.has(String(key)))) : root;
}

const widget = `# a comment
apiVersion: example.test/v1
kind: Widget
metadata:
  name: w
  annotations: {}
  labels:
    app: "x y"
spec:
  list:
  - name: a
    text: it's plain
      and goes on
  -
    quoted: 'it''s
      long'
  - - nested
    - -1
  script: |-
    # not a comment
      deeper

    last
  path: .spec.x
`;

describe("outlineYaml", () => {
  test("gives the wanted entries of a simple text as they stand", () => {
    equal(
      outlineYaml(widget, isWanted),
      'kind: Widget\nmetadata:\n  name: w\n  annotations: {}\n  labels:\n    app: "x y"\n',
    );
    equal(outlineYaml("a: 1\nb: 2", isWanted), "");
    equal(outlineYaml("kind: A\nkind: B", isWanted), "kind: A\nkind: B");
  });

  const others = {
    "no map": "- a",
    "no collection": "a",
    "only a comment": "# a",
    "a flow collection": "a: [b]",
    "an anchor": "a: &b c",
    "an alias": "a: *b",
    "a tag": "a: !!str b",
    "a merge key": "<<: {}",
    "a null key": "null: a",
    "a number that JSON lacks": "a: .inf",
    "a second document": "a: b\n---\nc: d",
    "a map in a plain scalar": "a: b: c",
    "a comment behind a value": "a: b # c",
    "a tab": "a:\tb",
    "a carriage return": "a: b\r\n",
    "an entry that is indented too far": "a: 'b'\n  c: d",
    "an entry that is indented too little": "  a: b\n c: d",
    "a list entry in a map": "a: b\n- c",
    "a map entry in a list": "a:\n  - b\n  c: d",
    "an open quote": "a: 'b",
    "an unknown escape": 'a: "\\q"',
    "a block that begins with an empty line": "a: |\n\n  b",
    "a block that is empty": "a: |\nb: c",
    "a block with an indicator": "a: |2\n  b",
    "a block at the end": "a: |",
    "a block that ends too early": "a: |\n    b\n  c",
    "a comment within a plain scalar": "a: b\n  # c\n  d",
    "too many levels": Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join(""),
  };
  for (const [name, text] of Object.entries(others)) {
    test(`leaves ${name} to the reader`, () => equal(outlineYaml(text, isWanted), undefined));
  }

  test("reads as the whole text does, which is right", () => {
    const words =
      "a: |kind: |metadata:|name: |- |-|b|'c'|\"d\"|{}|[]| # e|#f|>-|:|'|\"|null|1|-1|.5|é|\\|---|''|x: y| ".split("|");
    const part = constantFrom(...words, "|", "|-");
    const line = tuple(constantFrom(0, 0, 1, 2, 2, 4), array(part, { maxLength: 4 })).map(
      ([indent, parts]) => " ".repeat(indent) + parts.join(""),
    );
    const text = array(line, { maxLength: 8 }).map((lines) => lines.join("\n"));
    let outlined = 0;
    assert(
      property(text, (whole) => {
        const outline = outlineYaml(whole, isWanted);
        if (outline === undefined) return;
        outlined++;
        deepEqual(chosen(outline) ?? new Map(), chosen(whole));
      }),
      { numRuns: 20_000 },
    );
    ok(outlined > 200, `${outlined} texts were simple`);
  });
});
