import { equal, match, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { loadChart, renderFiles } from "../index.ts";

async function shown(expression: string): Promise<string | undefined> {
  const chart = loadChart(
    new Map([
      ["Chart.yaml", Buffer.from("apiVersion: v2\nname: app\nversion: 1.0.0\n")],
      ["templates/a.txt", Buffer.from(`{{ ${expression} }}`)],
    ]),
  );
  return (await renderFiles(chart, { release: { name: "demo" } })).get("app/templates/a.txt");
}

async function check(expected: Readonly<Record<string, string>>): Promise<void> {
  for (const [expression, text] of Object.entries(expected)) equal(await shown(expression), text, expression);
}

describe("nil slices and maps", () => {
  test("are null in JSON", () =>
    check({
      'regexFindAll "z" "a" -1 | toJson': "null",
      'regexSplit "z" "a" 0 | toJson': "null",
      'regexSplit "" "" -1 | toJson': "[]",
      "concat list list | toJson": "null",
      'toStrings (regexFindAll "z" "a" -1) | toJson': "null",
      'fromJson "null" | toJson': "null",
      'fromJsonArray "null" | toJson': "null",
      'fromYaml "null" | toJson': "{}",
      'fromYamlArray "null" | toJson': "[]",
      "deepCopy (list (rest list)) | toJson": "[null]",
      ".Chart.Annotations | toJson": "null",
    }));

  test("are null in YAML, empty in pretty YAML and left out of TOML", () =>
    check({
      'dict "a" (rest list) | toYaml': "a: null",
      'dict "a" (rest list) | toYamlPretty': "a: []",
      'dict "a" (rest list) "b" (fromJson "null") | toToml': "",
      'dict "a" (list (fromJson "null")) | toToml': "toml: cannot encode array with nil element",
    }));

  test("print with their type in Go's syntax, else as empty", () =>
    check({
      'printf "%#v" (fromJson "null")': "map[string]interface {}(nil)",
      'printf "%#v" (rest list)': "[]interface {}(nil)",
      'print (rest list) (fromJson "null")': "[] map[]",
    }));

  test("equal nil and each other, not what is empty", () =>
    check({
      "deepEqual (rest list) list": "false",
      'eq (fromJson "null") nil': "true",
      "eq nil (rest list)": "true",
      "eq list (rest list)": "false",
      "has list (list (rest list))": "false",
      "eq dict nil": "false",
    }));

  test("become maps when something is merged into them", () =>
    check({
      'merge (fromJson "null") (fromJson "null") | toJson': "null",
      'merge (fromJson "null") (dict "a" 1) | toJson': '{"a":1}',
      'mergeOverwrite (dict "a" (fromJson "null")) (dict "a" (dict "b" 1)) | toJson': '{"a":{"b":1}}',
      'merge (dict "a" dict) (dict "a" (fromJson "null")) | toJson': '{"a":null}',
      'merge (dict "a" (dict "b" 1)) (dict "a" (fromJson "null")) | toJson': '{"a":{"b":1}}',
    }));

  test("take no entry", async () => {
    await rejects(shown('set (fromJson "null") "a" 1'), (error: Error) => {
      match(error.message, /error calling set: assignment to entry in nil map/);
      return true;
    });
  });

  test("are lists for functions that want some", () =>
    check({ 'typeOf (genSelfSignedCert "a" nil (fromJsonArray "null") 1)': "sprig.certificate" }));
});

describe("bytes that are not UTF-8", () => {
  const raw = '(b64dec "Yf9C8A==")';

  test("become U+FFFD where Go goes through characters", () =>
    check({
      [`upper ${raw}`]: "A\ufffdB\ufffd",
      [`camelcase ${raw}`]: "A\ufffdB\ufffd",
      [`swapcase ${raw}`]: "A\ufffdb\ufffd",
      [`kebabcase ${raw}`]: "a-\ufffdb\ufffd",
    }));

  test("belong to the next character of a word", () =>
    check({ 'kebabcase (b64dec "YfBi8A==") | b64enc': "YfBi8A==", 'kebabcase (b64dec "/w==") | b64enc': "/w==" }));

  test("are escaped in JSON and quotes", () =>
    check({
      [`toJson ${raw}`]: '"a\\ufffdB\\ufffd"',
      [`quote ${raw}`]: '"a\\xffB\\xf0"',
      [`js ${raw} | b64enc`]: "Yf9C8A==",
    }));

  test("are binaries in pretty YAML, in lines when they are long", () =>
    check({
      'toYamlPretty (dict "a" (b64dec "/w==") "b" (list (b64dec "Yf8=")))': "a: !!binary /w==\nb:\n  - !!binary Yf8=",
      'toYamlPretty (b64dec (printf "/w%s==" (repeat 80 "A")))': `!!binary |\n  /w${"A".repeat(68)}\n  ${"A".repeat(12)}==`,
      'toYaml (b64dec "/w==")': "\ufffd",
      'toYaml (dict (repeat 170 "<") 1) | len': "176",
      'toYaml (dict (repeat 171 "<") 1) | len': "0",
      'toYaml (dict (repeat 1022 "a") 1) | len': "1028",
      'toYaml (dict (repeat 1023 "a") 1) | len': "0",
    }));

  test("are named by the YAML reader", () =>
    check(
      Object.fromEntries(
        Object.entries({
          "Yf8=": "invalid leading UTF-8 octet",
          "YcM=": "incomplete UTF-8 octet sequence",
          YcMoYWFh: "invalid trailing UTF-8 octet",
          YcCAYWFh: "invalid length of a UTF-8 sequence",
          Ye2ggGFh: "invalid Unicode character",
        }).map(([bytes, fault]) => [
          `(fromYaml (b64dec "${bytes}")).Error`,
          `error converting YAML to JSON: yaml: ${fault}`,
        ]),
      ),
    ));

  test("come after control characters and syntax errors that stand before them", () =>
    check({
      '(fromYaml (b64dec "ORZHKZI=")).Error': "error converting YAML to JSON: yaml: control characters are not allowed",
      '(fromYaml (printf "a: b: c\\n%s%s" (repeat 600 "#") (b64dec "/w=="))).Error':
        "error converting YAML to JSON: yaml: mapping values are not allowed in this context",
    }));
});

describe("sortAlpha", () => {
  test("sorts a list of texts in place and prints what is no list", () =>
    check({
      '$l := splitList "," "b,a" }}{{ sortAlpha $l }}{{ $l': "[a b][a b]",
      "sortAlpha nil | toJson": '["\\u003cnil\\u003e"]',
    }));
});

describe("whole numbers in texts", () => {
  test("are clamped as soon as 64 bits are full, whatever follows", () =>
    check({
      'atoi "1000000000000000000000.000 x"': "9223372036854775807",
      'atoi "-99999999999999999999x"': "-9223372036854775808",
      'atoi "9999999999999999999x"': "0",
      'atoi "9999999999999999999"': "9223372036854775807",
      'atoi "+012"': "12",
      'atoi "-"': "0",
    }));

  test("overflow as seconds and count for nothing as octals", () =>
    check({
      'duration "99999999999999999999999"': "-1s",
      'duration "99999999999"': "2157299h53m50.45224192s",
      'duration "1e21"': "0s",
      'toDecimal "777777777777777777777"': "9223372036854775807",
      'toDecimal "-1000000000000000000000"': "-9223372036854775808",
      'toDecimal "7777777777777777777777777"': "0",
      'toDecimal "8"': "0",
    }));
});

describe("tables of TOML within a line", () => {
  test("have their plain keys first and a comma in front of a nil", () =>
    check({
      'dict "l" (list 1 (dict "a" (dict "b" 1) "c" nil "d" 2)) | toToml': "l = [1, {d = 2, a = {b = 1}}]\n",
      'dict "l" (list 1 (dict "a" 1 "z" nil)) | toToml': "l = [1, {a = 1, }]\n",
      'dict "l" (list 1 (dict "a" nil)) | toToml': "l = [1, {}]\n",
    }));
});

describe("a map that contains itself", () => {
  const cycle = '$d := dict "a" 1 }}{{ $_ := set $d "b" $d }}{{ ';

  test("is no JSON or YAML", () =>
    check({ [`${cycle}toJson $d }}{{ toYaml $d`]: "", [`${cycle}merge (dict "x" $d) dict | len`]: "1" }));

  test("is named by the writers that fail", async () => {
    const failures = {
      [`${cycle}mustToJson $d`]:
        /error calling mustToJson: json: unsupported value: encountered a cycle via map\[string\]interface \{\}$/,
      [`${cycle}mustToYaml $d`]:
        /mustToYaml: error marshaling into JSON: json: unsupported value: encountered a cycle via map/,
      [`$d := dict }}{{ $_ := set $d "b" (list $d) }}{{ mustToJson (list $d)`]:
        /encountered a cycle via \[\]interface \{\}$/,
    };
    for (const [expression, message] of Object.entries(failures)) await rejects(shown(expression), { message });
  });
});

describe("JSON that ends too early", () => {
  const error = (json: string): string => `(fromJson ${JSON.stringify(json)}).Error`;

  test("ends, or is blamed on a blank where none can stand", () =>
    check({
      [error('{"a":')]: "unexpected end of JSON input",
      [error('"a')]: "unexpected end of JSON input",
      [error('{"a":tru')]: "invalid character ' ' in literal true (expecting 'e')",
      [error("[-")]: "invalid character ' ' in numeric literal",
      [error("1.")]: "invalid character ' ' after decimal point in numeric literal",
      [error("1e+")]: "invalid character ' ' in exponent of numeric literal",
      [error('"\\')]: "invalid character ' ' in string escape code",
      [error('"\\u12')]: "invalid character ' ' in \\u hexadecimal character escape",
    }));
});
