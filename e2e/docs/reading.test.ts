import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { commandBlocks } from "./guide-blocks.ts";
import { missingLine } from "./shown-output.ts";

const fence = (language: string, ...lines: readonly string[]): string => ["```" + language, ...lines, "```"].join("\n");

describe("the blocks of a guide", () => {
  test("are run in order, with what they print and how they end", () => {
    const markdown = [
      "# T",
      fence("sh", "one", "two"),
      "text",
      fence("console", "shown"),
      fence("yaml", "not: run"),
      "<!-- fails with 3 -->",
      fence("sh", "three"),
      "<!-- in a terminal of its own, until: it is up -->",
      fence("sh", "four"),
      "<!-- not run: it needs what nobody has -->",
      fence("sh", "five"),
    ].join("\n\n");
    deepEqual(
      commandBlocks(markdown).map(({ commands, shown, how }) => [commands, shown, how]),
      [
        ["one\ntwo", ["shown"], { kind: "run", code: 0 }],
        ["three", [], { kind: "run", code: 3 }],
        ["four", [], { kind: "beside", until: "it is up" }],
        ["five", [], { kind: "not-run", reason: "it needs what nobody has" }],
      ],
    );
  });

  test("must be closed, and output needs a command before it", () => {
    throws(() => commandBlocks("```sh\nls"), /line 1: the block is never closed/);
    throws(() => commandBlocks(fence("console", "x")), /line 1: output is shown before any command/);
  });
});

describe("shown output", () => {
  const isLike = (shown: string, printed: string): boolean => missingLine([shown], printed) === undefined;

  test("may differ in spaces, ages, times, ports and long numbers of names", () => {
    equal(isLike("demo   Ready  18s", "demo Ready 2m3s\n"), true);
    equal(isLike("a-3545638551 x", "a-12345678 x"), true);
    equal(isLike("at 2026-11-30T16:40:52Z", "at 2031-01-01T00:00:00.123Z"), true);
    equal(isLike("http://127.0.0.1:44667/", "http://127.0.0.1:1/"), true);
    equal(isLike("ready after 12 s.", "ready after 1.5 s."), false);
    equal(isLike("…Warning…greetr…", "12s Warning kyma/demo greetr?"), true);
  });

  test("must be the same in everything else", () => {
    equal(isLike("demo Ready 18s", "demo Error 18s"), false);
    equal(isLike("greeter 1.0.0(regular)", "greeter 1x0.0(regular)"), false);
    equal(isLike("Ready", "not Ready"), false);
    equal(isLike("m6i.large", "m7i.large"), false);
  });

  test("comes in the order in which it is shown; other lines may stand between", () => {
    equal(missingLine(["a", "b"], "a\nx\nb\n"), undefined);
    equal(missingLine(["b", "a"], "a\nx\nb\n"), "a");
  });
});
