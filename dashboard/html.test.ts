import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { assert as check, property, string } from "fast-check";
import { html, shortened } from "./html.ts";

describe("html", () => {
  const cases: readonly (readonly [name: string, value: string, want: string])[] = [
    ["tags", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    ["the end of an attribute", `" onload='x'`, "&quot; onload=&#39;x&#39;"],
    ["entities", "&lt;", "&amp;lt;"],
    ["control characters", "a\u0000b\u001bc", "a\u{FFFD}b\u{FFFD}c"],
    ["marks that turn the direction of text", "exe.\u202Egpj\u2066", "exe.\u{FFFD}gpj\u{FFFD}"],
    ["line breaks, which stay", "a\r\nb\tc", "a\nb c"],
  ];
  for (const [name, value, want] of cases) {
    test(`escapes ${name}`, () => equal(html`${value}`.text, want));
  }

  test("takes pieces as they are, in lists too, and nothing for what is absent", () => {
    const items = ["a<", "b"].map((text) => html`<li>${text}</li>`);
    equal(html`<ul>${items}</ul>${undefined}${3}`.text, "<ul><li>a&lt;</li><li>b</li></ul>3");
  });

  test("never lets a text out of its element or its quotes", () => {
    check(
      property(string({ unit: "binary" }), (text) => {
        const [, attribute, content] =
          /^<p title="([^"]*)">([^<>]*)<\/p>$/.exec(html`<p title="${text}">${text}</p>`.text) ?? [];
        equal(attribute, content);
        equal(attribute?.replace(/&(amp|lt|gt|quot|#39);/g, "").includes("&"), false);
      }),
    );
  });
});

test("a long text is cut, a short one is not", () => {
  deepEqual([shortened("abcdef", 4), shortened("abcd", 4)], ["abc…", "abcd"]);
});
