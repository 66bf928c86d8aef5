import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { hasCode } from "@kyma-operators/errors";
import { type Chart, type HelmLimits, loadChart, type RenderOptions, render, renderFiles } from "./index.ts";

const meta = "apiVersion: v2\nname: app\nversion: 1.0.0\n";

function chartOf(files: Readonly<Record<string, string>>): Chart {
  return loadChart(
    new Map(Object.entries({ "Chart.yaml": meta, ...files }).map(([path, text]) => [path, Buffer.from(text)])),
  );
}

const release = { name: "demo" };

async function textOf(template: string, options: Partial<RenderOptions> = {}): Promise<string | undefined> {
  const files = await renderFiles(chartOf({ "templates/a.txt": template }), { release, ...options });
  return files.get("app/templates/a.txt");
}

describe("render", () => {
  test("gives documents as texts and as objects, in the order of installation", async () => {
    const chart = chartOf({
      "values.yaml": "name: web\n",
      "templates/a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.name }}\n",
      "templates/b.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n",
    });
    const { documents } = await render(chart, { release, values: { name: "api" } });
    deepEqual(
      documents.map(({ kind, name, source }) => ({ kind, name, source })),
      [
        { kind: "Service", name: "demo", source: "app/templates/b.yaml" },
        { kind: "Deployment", name: "api", source: "app/templates/a.yaml" },
      ],
    );
    deepEqual(documents[1]?.object, { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "api" } });
    equal(documents[0]?.text, "apiVersion: v1\nkind: Service\nmetadata:\n  name: demo");
  });

  test("removes a null default by a null in helm 3, and keeps it in helm 4", async () => {
    const chart = chartOf({ "values.yaml": "m: {a: 1, b: ~}\n", "templates/a.txt": "{{ toJson .Values.m }}" });
    const shown = async (compat: 3 | 4): Promise<string | undefined> =>
      (await renderFiles(chart, { release, compat, values: { m: { a: null, b: null } } })).get("app/templates/a.txt");
    deepEqual([await shown(3), await shown(4)], ["{}", '{"b":null}']);
  });

  test("lets a null of the parent win over an imported value", async () => {
    const chart = chartOf({
      "Chart.yaml": `${meta}dependencies: [{name: sub, version: 1.0.0, import-values: [{child: q, parent: p}]}]\n`,
      "values.yaml": "p: {a: ~, z: ~}\n",
      "templates/a.txt": "{{ toJson .Values.p }}",
      "charts/sub/Chart.yaml": meta.replace("app", "sub"),
      "charts/sub/values.yaml": "q: {a: 1, b: ~}\n",
    });
    for (const compat of [3, 4] as const) {
      const files = await renderFiles(chart, { release, compat });
      equal(files.get("app/templates/a.txt"), '{"a":null,"b":null,"z":null}');
    }
  });

  test("shows what can't be compared as Go does", async () => {
    const given = { values: { b: { c: "x", d: 1.5 } } };
    await rejects(
      textOf("{{ eq .Values.b .Values.b }}", given),
      /non-comparable type map\[c:x d:%!s\(float64=1\.5\)\]: map/,
    );
  });

  test("keeps hooks, CRDs and notes apart", async () => {
    const chart = chartOf({
      "crds/c.yaml": "kind: CustomResourceDefinition\n",
      "templates/NOTES.txt": "Hello {{ .Release.Name }}",
      "templates/job.yaml":
        "kind: Job\nmetadata:\n  name: j\n  annotations:\n    helm.sh/hook: pre-install, post-upgrade\n    helm.sh/hook-weight: '-5'\n    helm.sh/hook-delete-policy: hook-succeeded\n",
    });
    const rendered = await render(chart, { release });
    deepEqual(rendered.documents, []);
    deepEqual(rendered.hooks[0]?.events, ["pre-install", "post-upgrade"]);
    equal(rendered.hooks[0]?.weight, -5);
    deepEqual(rendered.hooks[0]?.deletePolicies, ["hook-succeeded"]);
    deepEqual(rendered.crds, [{ source: "app/crds/c.yaml", text: "kind: CustomResourceDefinition\n" }]);
    deepEqual([...rendered.notes], [["app/templates/NOTES.txt", "Hello demo"]]);
  });

  test("a render changes neither the chart nor the caller's values", async () => {
    const chart = chartOf({
      "values.yaml": "a: {n: 1}\n",
      "templates/a.txt": '{{ set .Values.a "n" 2 }}{{ set .Values.b "n" 2 }}',
    });
    const values = { b: { n: 1 } };
    const first = await renderFiles(chart, { release, values });
    const second = await renderFiles(chart, { release, values });
    deepEqual(values, { b: { n: 1 } });
    deepEqual([...second], [...first]);
  });

  test("asks the given lookup and nothing else", async () => {
    const template = '{{ (lookup "v1" "Secret" "ns" "s").data.key }}|{{ lookup "v1" "Secret" "ns" "none" }}';
    const lookup = ({ name }: { name: string }): unknown => (name === "s" ? { data: { key: "value" } } : undefined);
    equal(await textOf(template, { lookup }), "value|map[]");
    equal(await textOf('{{ lookup "v1" "Secret" "" "" }}'), "map[]");
  });

  test("templates reach no JavaScript properties", async () => {
    equal(await textOf("{{ .Values.constructor }}{{ .Values.__proto__ }}{{ .Values.toString }}"), "");
    await rejects(textOf("{{ .Release.Name.length }}"), /can't evaluate field length in type interface \{\}/);
    await rejects(textOf("{{ .Files.constructor.name }}"), /can't evaluate field name/);
  });

  test("numbers of the caller are floats, bigints are int64", async () => {
    equal(await textOf("{{ typeOf .Values.f }} {{ typeOf .Values.i }}", { values: { f: 1, i: 1n } }), "float64 int64");
  });

  test("stops when the signal says so", async () => {
    await rejects(textOf("x", { signal: AbortSignal.abort(new Error("enough")) }), { message: "enough" });
  });

  test("has helm's words for a failure", async () => {
    await rejects(textOf("{{ .Values.a.b }}"), {
      code: "HELM_RENDER",
      message: /nil pointer evaluating interface \{\}\.b$/,
    });
    await rejects(textOf('{{ required "need it" .Values.a }}'), {
      message: "execution error at (app/templates/a.txt:1:3): need it",
    });
    await rejects(textOf("{{ nope }}"), {
      message: 'parse error at (app/templates/a.txt:1): function "nope" not defined',
    });
  });

  const hostile: readonly { name: string; template: string; limit: keyof HelmLimits; max: number }[] = [
    {
      name: "an endless loop",
      template: "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}",
      limit: "maxSteps",
      max: 50_000,
    },
    { name: "a huge list", template: "{{ until 2000000000 }}", limit: "maxValueLength", max: 1_000_000 },
    { name: "a huge text", template: '{{ repeat 2000000000 "x" }}', limit: "maxValueLength", max: 1_000_000 },
    {
      name: "a flood of output",
      template: '{{ range until 1000 }}{{ repeat 1000 "x" }}{{ end }}',
      limit: "maxOutputLength",
      max: 100_000,
    },
    {
      name: "endless recursion",
      template:
        '{{ define "a" }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ tpl "{{ include \\"a\\" . }}" . }}{{ end }}{{ include "a" . }}',
      limit: "maxTemplateDepth",
      max: 200,
    },
  ];
  for (const { name, template, limit, max } of hostile) {
    test(`${name} ends at the limit ${limit}`, async () => {
      await rejects(
        textOf(template, { limits: { [limit]: max } }),
        (error) => hasCode(error, "HELM_LIMIT") && String(error).includes(`${limit} = ${max}`),
      );
    });
  }
});

test("a value that contains itself ends at a limit, not in a crash", async () => {
  const template = '{{ $m := dict }}{{ $_ := set $m "self" $m }}{{ $m }}';
  await rejects(textOf(template), (error) => hasCode(error, "HELM_LIMIT"));
});

describe("loadChart", () => {
  test("names equal content by an equal digest", () => {
    const [a, b, c] = [
      chartOf({ "values.yaml": "a: 1" }),
      chartOf({ "values.yaml": "a: 1" }),
      chartOf({ "values.yaml": "a: 2" }),
    ];
    equal(a.digest, b.digest);
    equal(a.digest === c.digest, false);
  });

  test("refuses what is no archive", () => {
    throws(
      () => loadChart(Buffer.from("hello"), { name: "x.tgz" }),
      /file 'x.tgz' does not appear to be a gzipped archive; got 'application\/octet-stream'/,
    );
  });

  test("refuses files beyond the limits", () => {
    const files = new Map([
      ["Chart.yaml", Buffer.from(meta)],
      ["big", Buffer.alloc(1_000)],
    ]);
    throws(
      () => loadChart(files, { maxFileBytes: 999 }),
      (error) => hasCode(error, "HELM_LIMIT"),
    );
    throws(
      () => loadChart(files, { maxChartBytes: 1_000 }),
      (error) => hasCode(error, "HELM_LIMIT"),
    );
    throws(
      () => loadChart(files, { maxFiles: 1 }),
      (error) => hasCode(error, "HELM_LIMIT"),
    );
  });
});
