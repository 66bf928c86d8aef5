import { equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { array, assert, constantFrom, property } from "fast-check";
import { jsonProblem } from "./json-problem.ts";

const end = "unexpected end of JSON input";
const problems: Readonly<Record<string, string | undefined>> = {
  "": end,
  "  ": end,
  "{": end,
  '{"a': end,
  '{"a":"b\\': end,
  "[1,": end,
  tru: end,
  "-": end,
  "{} ": undefined,
  '{"a":[1,-0.5e+3,true,false,null,"\\u00e9\\n"],"b":{}}': undefined,
  hello: "invalid character 'h' looking for beginning of value",
  "{} x": "invalid character 'x' after top-level value",
  "{'a':1}": "invalid character '\\'' looking for beginning of object key string",
  '{"a":1,}': "invalid character '}' looking for beginning of object key string",
  "[1,]": "invalid character ']' looking for beginning of value",
  '{"a" 1}': "invalid character '1' after object key",
  '{"a":01}': "invalid character '1' after object key:value pair",
  "[1 2]": "invalid character '2' after array element",
  "[1}": "invalid character '}' after array element",
  '"a\nb"': "invalid character '\\n' in string literal",
  '"\u0001"': "invalid character '\\x01' in string literal",
  '"\\x"': "invalid character 'x' in string escape code",
  '"\\u00g0"': "invalid character 'g' in \\u hexadecimal character escape",
  "1.x": "invalid character 'x' after decimal point in numeric literal",
  "-x": "invalid character 'x' in numeric literal",
  "1ex": "invalid character 'x' in exponent of numeric literal",
  trust: "invalid character 's' in literal true (expecting 'e')",
  "\ufeff{}": "invalid character 'ï' looking for beginning of value",
  ["[".repeat(1_001)]: "invalid character '[' exceeded max depth",
};

describe("jsonProblem", () => {
  for (const [text, problem] of Object.entries(problems)) {
    test(`of ${JSON.stringify(text).slice(0, 40)}`, () => equal(jsonProblem(text), problem));
  }

  test("finds one exactly where JSON.parse does", () => {
    const pieces = constantFrom(...'{}[]:,"\\ \n0123-+.eEu'.split(""), "true", "null", '"a"', '{"a":1}', "é");
    const isValid = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const agrees = property(array(pieces, { maxLength: 8 }), (parts) => {
      const text = parts.join("");
      return (jsonProblem(text) === undefined) === isValid(text);
    });
    assert(agrees, { numRuns: 5_000 });
  });
});
