import { deepEqual, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { type Chart, loadChart, render, renderFiles } from "../index.ts";

const release = { name: "demo" };

/** A chart `own` whose subcharts `one` and `two` hold the same template. */
function twins(template: string, more: Readonly<Record<string, string>> = {}): Chart {
  const files: Record<string, string> = { "Chart.yaml": "apiVersion: v2\nname: own\nversion: 1.0.0\n", ...more };
  for (const name of ["one", "two"]) {
    files[`charts/${name}/Chart.yaml`] = `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`;
    files[`charts/${name}/templates/a.yaml`] = template;
  }
  return loadChart(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
}

describe("templates with the same text", () => {
  test("render each for its own chart", async () => {
    deepEqual([...(await renderFiles(twins("a: {{ .Chart.Name }}"), { release })).values()].sort(), [
      "a: one",
      "a: two",
    ]);
  });

  test("are parsed once", async () => {
    const text = "{{1}}".repeat(25);
    const limits = { maxTokens: 101 };
    await renderFiles(twins(text), { release, limits });
    const other = { "templates/b.yaml": `${text}#` };
    await rejects(renderFiles(twins(text, other), { release, limits }), { code: "HELM_LIMIT" });
  });

  test("name their own file in errors", async () => {
    const fails = (name: string): string => `b: {{ if eq .Chart.Name "${name}" }}{{ fail "no" }}{{ end }}`;
    for (const name of ["one", "two"]) {
      await rejects(render(twins(fails(name)), { release }), {
        message: `execution error at (own/charts/${name}/templates/a.yaml:1:35): no`,
      });
    }
  });

  test("define the text of one of them, in its place", async () => {
    const name = "own/charts/one/templates/a.yaml";
    const text = `{{ define "${name}" }}a: {{ .Chart.Name }}{{ end }}`;
    const files = await renderFiles(twins(text), { release });
    deepEqual([files.get(name), files.get(name.replace("one", "two"))], ["a: one", ""]);
    await rejects(render(twins(`${text}\nb: 1\n`), { release }), {
      message: `parse error at (${name}:3): multiple definition of template "${name}"`,
    });
  });
});
