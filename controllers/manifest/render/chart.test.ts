import { deepEqual } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { renderChart } from "./chart.ts";

const files = (texts: Readonly<Record<string, string>>): ReadonlyMap<string, Uint8Array> =>
  new Map(
    Object.entries({ "Chart.yaml": "apiVersion: v2\nname: demo\nversion: 1.0.0\n", ...texts }).map(([path, text]) => [
      path,
      Buffer.from(text),
    ]),
  );
const input = { releaseName: "demo", namespace: "apps", values: {}, name: "demo", capabilities: undefined };
const crd = (name: string): string =>
  `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}.example.org}`;

describe("renderChart", () => {
  test("reads each file of CRDs for itself, however it ends (fault 25)", async () => {
    const chart = files({
      "crds/a.yaml": crd("a"),
      "crds/b.yaml": `---\n${crd("b")}\n---`,
      "crds/c.yaml": `${crd("c")}\n---\n\n---\n${crd("d")}\n`,
    });
    const { objects } = await renderChart(chart, input, new AbortController().signal);

    deepEqual(
      objects.map(({ metadata }) => metadata.name),
      ["a", "b", "c", "d"].map((name) => `${name}.example.org`),
    );
  });

  test("puts objects without a namespace into the release's", async () => {
    const chart = files({ "templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" });
    const { objects } = await renderChart(chart, input, new AbortController().signal);

    deepEqual(objects[0]?.metadata, { name: "a", namespace: "apps" });
  });
});
