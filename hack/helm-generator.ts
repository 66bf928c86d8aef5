/** Random templates and values for comparing our renderer with the real helm; the same seed gives the same ones. */

/** What an expression gives. */
type Kind = "text" | "int" | "number" | "list" | "texts" | "map" | "bool";

/** A production: `$1:kind` stands for a sub-expression of that kind. */
const productions: Readonly<Record<Kind, readonly string[]>> = {
  text: [
    "upper {text}",
    "lower {text}",
    "title {text}",
    "untitle {text}",
    "trim {text}",
    "trimAll {text} {text}",
    "trimPrefix {text} {text}",
    "trimSuffix {text} {text}",
    "snakecase {text}",
    "kebabcase {text}",
    "camelcase {text}",
    "swapcase {text}",
    "initials {text}",
    "trunc {int} {text}",
    "abbrev {int} {text}",
    "abbrevboth {int} {int} {text}",
    "wrap {int} {text}",
    "wrapWith {int} {text} {text}",
    "replace {text} {text} {text}",
    "nospace {text}",
    "quote {text}",
    "squote {text} {int}",
    "cat {text} {number} {list}",
    "indent 3 {text}",
    "nindent 2 {text}",
    "plural {text} {text} {int}",
    "b64enc {text}",
    "b64dec {text}",
    "b32enc {text}",
    "sha256sum {text}",
    "adler32sum {text}",
    "join {text} {list}",
    "toString {any}",
    "toJson {any}",
    "toPrettyJson {any}",
    "toRawJson {any}",
    "toYaml {any}",
    "toYamlPretty {any}",
    "toToml {map}",
    'printf "%v|%5v|%-6v|%q" {text} {int} {bool} {text}',
    'printf "%d %x %05d %+d" {int} {int} {int} {int}',
    'printf "%.3f %e %g %8.2f" {float} {float} {float} {float}',
    'printf "%s %v %T" {any} {any} {any}',
    "print {any} {any}",
    "println {text} {int}",
    "html {text}",
    "js {text}",
    "urlquery {text}",
    "regexFind {regex} {text}",
    'regexReplaceAll {regex} {text} "<$0>"',
    "regexReplaceAllLiteral {regex} {text} {text}",
    "regexQuoteMeta {text}",
    "substr 0 {int} {text}",
    "default {text} {text}",
    "ternary {text} {text} {bool}",
    "typeOf {any}",
    "kindOf {any}",
    "base {text}",
    "dir {text}",
    "ext {text}",
    "clean {text}",
    "duration {text}",
    "durationRound {text}",
    'date "2006-01-02T15:04:05 Mon Jan _2" {int}',
    'dateInZone "Jan 2 15:04 -0700" {int} "UTC"',
    "first (append {texts} {text})",
    "seq 1 {small}",
    "toString (fromYaml {text})",
    "toJson (fromYamlArray {text})",
    "toJson (fromJson {text})",
    "toJson (fromJsonArray {text})",
    'derivePassword 1 "pin" {text} {text} "s"',
  ],
  int: [
    "len {text}",
    "len {list}",
    "int {number}",
    "atoi {text}",
    "int {text}",
    "add1 {int} | int",
    "index (until 5) 2",
    "len {map}",
  ],
  number: [
    "add {number} {number}",
    "sub {number} {number}",
    "mul {number} {number}",
    "div {number} 7",
    "mod {number} 5",
    "add1 {number}",
    "max {number} {number}",
    "min {number} {number}",
    "addf {number} {number}",
    "subf {number} {number}",
    "mulf {number} {number}",
    "divf {number} 3",
    "ceil {number}",
    "floor {number}",
    "round {number} 2",
    "float64 {text}",
    "int64 {text}",
    "toDecimal {text}",
    "maxf {number} {number}",
    "minf {number} {number}",
    "{int}",
    "{float}",
  ],
  list: [
    "list {any} {any} {any}",
    "append {list} {any}",
    "prepend {list} {any}",
    "concat {list} {list}",
    "reverse {list}",
    "uniq {list}",
    "compact {list}",
    "without {list} {any}",
    "rest {list}",
    "initial {list}",
    "slice (list 1 2 3 4) 1 3",
    "chunk 2 {list}",
    'pluck "a" {map} {map}',
    "{texts}",
  ],
  texts: [
    "splitList {text} {text}",
    "sortAlpha {list}",
    "sortAlpha (keys {map})",
    "regexFindAll {regex} {text} -1",
    "regexSplit {regex} {text} -1",
    "toStrings {list}",
  ],
  map: [
    'dict "a" {any} "b" {any}',
    "merge {map} {map}",
    "mergeOverwrite {map} {map}",
    'pick {map} "a" "k"',
    'omit {map} "a"',
    "deepCopy {map}",
    "set (deepCopy {map}) {text} {any}",
    "fromYaml (toYaml {map})",
    "fromJson (toJson {map})",
    'unset (deepCopy {map}) "a"',
  ],
  bool: [
    "eq {text} {text}",
    "ne {int} {int}",
    "lt {int} {int}",
    "le {text} {text}",
    "gt {float} {float}",
    "contains {text} {text}",
    "hasPrefix {text} {text}",
    "has {any} {list}",
    "empty {any}",
    "not {any}",
    "and {bool} {bool}",
    "or {bool} {bool}",
    'hasKey {map} "a"',
    "regexMatch {regex} {text}",
    "deepEqual {any} {any}",
    "semverCompare {range} {version}",
    "all {any} {any}",
    "any {any} {any}",
    'kindIs "string" {any}',
    'typeIs "int" {any}',
    "any {list}",
  ],
};

const texts = [
  "",
  "a",
  "hello World",
  "x-y_z",
  "HTTPServer2xx",
  " lead",
  "trail ",
  "yes",
  "null",
  "0x1F",
  "1e3",
  "007",
  "1_000",
  "12:30",
  "2024-01-02",
  "a: b",
  "- c",
  "#d",
  "{e}",
  "it's",
  'q"q',
  "l1\nl2\n",
  "\ttab",
  "é☃",
  "😀",
  "<&>",
  "a,b,c",
  "long word ".repeat(12),
  "%s",
  "1.2.3",
  "v1.2",
  "true",
  "~",
  "[1, 2]",
  '{"a": 1}',
  "k: v\n",
  "\u0085",
  "\\",
];
const floats = ["0.5", "1.0", "-2.75", "1e6", "1234567.891", "1e21", "1e-7", "100.0", "3.0"];
const regexes = ['"[a-z]+"', '"a*"', '"(\\\\w)(\\\\d?)"', '"^.|.$"', '"[^,]*"', '"(?i)h"', '"x{0,2}"', '"\\\\s+"'];
const versions = ['"1.2.3"', '"v1.29.4-gke.1"', '"2.0.0-alpha"', '"0.3.1"'];
const ranges = ['"^1.2"', '">=1.0.0-0"', '"~0.3"', '"1.x || 2.x"', '">1 <3"', '"!=1.2.3"', '"*"'];

const statements = [
  "{{ if {bool} }}{text!}{{ else if {bool} }}{text!}{{ else }}n{{ end }}",
  "{{ range $i, $e := {list} }}{{ $i }}={{ $e }};{{ end }}",
  "{{ range $k, $v := {map} }}{{ $k }}:{{ $v }},{{ else }}none{{ end }}",
  "{{ with {any} }}{{ . }}{{ else }}empty{{ end }}",
  "{{ $x := {any} }}{{ $y := {int} }}{{ $x }} {{ $y }}{{ $y = add $y 1 }}{{ $y }}",
  "a {{- {text} -}} b",
  "{{ range {small} }}{{ . }}{{ if gt . 2 }}{{ break }}{{ end }}{{ end }}",
  '{{ tpl "{{ .a }}-{{ .b | quote }}" {map} }}',
  '{{ include "helper" {any} }}',
  "{{ {any} | toString | upper }}",
  '{{ ({map}).a }}|{{ get {map} "k" }}|{{ dig "a" "b" "d" (dict "a" {map}) }}',
  "{{ {any} }}",
  "{{ {any} }}",
];

const maxDepth = 4;

export class HelmGenerator {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  template(): string {
    const count = 1 + Math.floor(this.next() * 2);
    return Array.from({ length: count }, () => this.#fill(this.pick(statements), 0)).join("\n");
  }

  value(depth = 0): unknown {
    const roll = this.next();
    if (depth > 2 || roll < 0.45) return this.pick(texts);
    if (roll < 0.65) return this.pick([0, 1, -7, 42, 3.14, 1e6, 1.5e-7, 1e21, 100]);
    if (roll < 0.75) return this.pick([true, false, null]);
    if (roll < 0.87) return Array.from({ length: Math.floor(this.next() * 4) }, () => this.value(depth + 1));
    return this.map(depth + 1);
  }

  map(depth = 0): Record<string, unknown> {
    const names = ["a", "b", "k", "x1", "x10", "yes", "A b", "é"].filter(() => this.next() < 0.4);
    return Object.fromEntries(names.map((name) => [name, this.value(depth)]));
  }

  /** Values for every reference that the templates make. */
  values(): Record<string, unknown> {
    const text = (): string => this.pick(texts);
    const number = (): number => this.pick([0, 1, 2, -3, 42, 2.5, 1e6]);
    const list = (): unknown[] => Array.from({ length: Math.floor(this.next() * 5) }, () => this.value(1));
    return {
      t1: text(),
      t2: text(),
      n1: number(),
      n2: number(),
      l1: list(),
      l2: list(),
      m1: this.map(),
      m2: this.map(),
      v1: this.value(),
      b1: this.next() < 0.5,
    };
  }

  #fill(pattern: string, depth: number): string {
    return pattern.replaceAll(/\{(text!|[a-z]+)\}/g, (_all, kind: string) => this.#leafOr(kind, depth));
  }

  #leafOr(kind: string, depth: number): string {
    if (kind === "text!") return this.pick(["yes", " ", "x\n", "-"]);
    const fixed = this.#fixed(kind);
    if (fixed !== undefined) return fixed;
    const real =
      kind === "any" ? this.pick(["text", "int", "number", "list", "texts", "map", "bool"] as const) : (kind as Kind);
    if (depth >= maxDepth || this.next() < 0.25) return this.#leaf(real);
    return `(${this.#fill(this.pick(productions[real]), depth + 1)})`;
  }

  #fixed(kind: string): string | undefined {
    const pools: Readonly<Record<string, readonly string[]>> = {
      float: floats,
      regex: regexes,
      version: versions,
      range: ranges,
      small: ["0", "1", "3", "5"],
    };
    const pool = pools[kind];
    return pool === undefined ? undefined : this.pick(pool);
  }

  #leaf(kind: Kind): string {
    const leaves: Readonly<Record<Kind, () => string>> = {
      text: () =>
        this.pick(
          [
            ".Values.t1",
            ".Values.t2",
            JSON.stringify(this.pick(texts.filter((text) => !/[\u0085-\uffff]/.test(text)))),
          ].map((text) => text.replace(".Values", "$.Values")),
        ),
      int: () => this.pick(["0", "1", "3", "-2", "8", "80"]),
      number: () => this.pick(["$.Values.n1", "$.Values.n2", "7", "2.5", "(int64 9)"]),
      list: () => this.pick(["$.Values.l1", "$.Values.l2", "(list)", '(list 1 "a" nil)']),
      texts: () => this.pick(['(list "b" "a" "b")', '(splitList "," "x,y,,z")']),
      map: () => this.pick(["$.Values.m1", "$.Values.m2", "(dict)", '(dict "a" 1 "k" "v")']),
      bool: () => this.pick(["true", "false", "$.Values.b1"]),
    };
    return leaves[kind]();
  }
}
