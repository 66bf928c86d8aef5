import { equal, match } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Row } from "../../local/progress.ts";
import { progressView } from "./progress-view.ts";

function collected(isTTY: boolean) {
  const parts: string[] = [];
  return { output: { isTTY, write: (text: string) => void parts.push(text) }, text: () => parts.join("") };
}
const row = (state: string, blocker = ""): Row => ({
  kind: "Kyma",
  name: "demo",
  state,
  ready: state === "Ready",
  ageSeconds: 3,
  blocker,
});

describe("progress view", () => {
  test("without a terminal prints a line only when something changed", () => {
    const { output, text } = collected(false);
    const view = progressView(output);
    for (const rows of [[row("Processing", "a: b")], [row("Processing", "a: b")], [row("Ready")]]) view.show(rows);
    equal(text(), "Kyma demo: Processing (a: b)\nKyma demo: Ready\n");
  });

  test("on a terminal draws over the last table", () => {
    const { output, text } = collected(true);
    const view = progressView(output);
    view.show([row("Processing")]);
    view.show([row("Ready")]);
    const [first = "", second = ""] = text().split("\u001b[2A\u001b[J");
    match(first, /^KIND .*\nKyma {3}demo {3}Processing {3}3s\n$/);
    match(second, /^KIND .*\nKyma {3}demo {3}Ready/);
  });

  test("on a narrow terminal cuts what would wrap, which could not be drawn over", () => {
    const { output, text } = collected(true);
    progressView({ ...output, columns: 40 }).show([row("Processing", `a reason\nthat is ${"long ".repeat(20)}`)]);
    const lines = text().trimEnd().split("\n");
    equal(lines.length, 2);
    match(lines[1] ?? "", /^Kyma {3}demo {3}Processing {3}3s {4}a reas…$/);
  });
});
