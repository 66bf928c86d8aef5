import { rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { loadChart } from "../chart/source.ts";
import { render } from "../engine/render.ts";

async function renderWith(schema: object, values: Readonly<Record<string, unknown>>): Promise<unknown> {
  const files = {
    "Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n",
    "values.schema.json": JSON.stringify(schema),
  };
  const chart = loadChart(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
  return render(chart, { release: { name: "app", namespace: "default" }, values });
}

describe("values.schema.json", () => {
  test("each pattern counts, however many there are", async () => {
    const schema = { properties: { a: { pattern: "^x$" }, b: { pattern: "^--" }, c: { pattern: "z" } } };
    await renderWith(schema, { a: "x", b: "--flag", c: "xyz" });
    await rejects(renderWith(schema, { a: "--flag" }), /at '\/a': '--flag' does not match pattern '\^x\$'/);
    await rejects(renderWith(schema, { b: "x" }), /at '\/b': 'x' does not match pattern '\^--'/);
    await rejects(renderWith(schema, { c: "x" }), /at '\/c': 'x' does not match pattern 'z'/);
  });
});
