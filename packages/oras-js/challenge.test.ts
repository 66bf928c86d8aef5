import { deepEqual, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import * as fc from "fast-check";
import { parseChallenges } from "./challenge.ts";

describe("parseChallenges", () => {
  const cases = [
    { name: "Basic", header: 'Basic realm="a b"', want: [{ scheme: "basic", parameters: { realm: "a b" } }] },
    {
      name: "Bearer with commas inside a value",
      header: 'Bearer realm="https://a/t",service="reg",scope="repository:a:pull,push"',
      want: [
        { scheme: "bearer", parameters: { realm: "https://a/t", service: "reg", scope: "repository:a:pull,push" } },
      ],
    },
    {
      name: "two challenges in one header",
      header: 'Basic realm="x", Bearer realm=https, service="y"',
      want: [
        { scheme: "basic", parameters: { realm: "x" } },
        { scheme: "bearer", parameters: { realm: "https", service: "y" } },
      ],
    },
    {
      name: "escaped quotes",
      header: 'Basic realm="a\\"b"',
      want: [{ scheme: "basic", parameters: { realm: 'a"b' } }],
    },
    {
      name: "blanks around the equals sign",
      header: "Basic realm = x",
      want: [{ scheme: "basic", parameters: { realm: "x" } }],
    },
    {
      name: "a token instead of parameters",
      header: 'Negotiate dG9r==, Basic realm="x"',
      want: [
        { scheme: "negotiate", parameters: {} },
        { scheme: "basic", parameters: { realm: "x" } },
      ],
    },
    { name: "nothing", header: "", want: [] },
    { name: "an open quote", header: 'Bearer realm="https', want: [{ scheme: "bearer", parameters: {} }] },
  ];
  for (const { name, header, want } of cases) {
    test(`reads ${name}`, () => {
      const got = parseChallenges(header).slice(0, want.length);
      deepEqual(got, want);
    });
  }

  test("ends for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (header) =>
        ok(parseChallenges(header).length <= header.length),
      ),
      { numRuns: 500 },
    );
  });
});
