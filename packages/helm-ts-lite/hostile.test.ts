import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { describe, test } from "@jest/globals";
import { hasCode } from "@kyma-operators/errors";
import { type HelmLimits, loadChart, render } from "./index.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

const meta = "apiVersion: v2\nname: f\nversion: 1.0.0\n";
const release = { name: "r" };
const mebibyte = 2 ** 20;

const bytesOf = (data: string | Uint8Array): Buffer =>
  typeof data === "string" ? Buffer.from(data) : Buffer.from(data);

/** An entry of a tar archive: type `0` is a file, `1` and `2` are links to `target`, `5` is a folder. */
function tarEntry(name: string, data: string | Uint8Array, { type = "0", target = "" } = {}): Buffer {
  const bytes = bytesOf(data);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write(`${bytes.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(target, 157);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

const tgz = (...entries: readonly Buffer[]): Buffer => gzipSync(Buffer.concat([...entries, Buffer.alloc(1_024)]));

const packed = (name: string, files: Files): Buffer =>
  tgz(...Object.entries(files).map(([path, data]) => tarEntry(`${name}/${path}`, data)));

function folder(files: Files, limits: Partial<HelmLimits> = {}): ReturnType<typeof loadChart> {
  const entries = Object.entries({ "Chart.yaml": meta, ...files });
  return loadChart(new Map(entries.map(([path, data]) => [path, bytesOf(data)])), limits);
}

const exceeds =
  (limit: keyof HelmLimits) =>
  (error: unknown): boolean => {
    equal(hasCode(error, "HELM_LIMIT"), true, String(error));
    equal(String(error).includes(`exceeds the limit ${limit} = `), true, String(error));
    return true;
  };

describe("a hostile archive", () => {
  const outside = {
    "f/../../etc/passwd": "chart illegally references parent directory",
    "f/a/../../../b": "chart illegally references parent directory",
    "f//etc/passwd": "chart illegally contains absolute paths",
    "f/C:/windows": "chart contains illegally named files",
    "f\\..\\..\\b": "chart illegally references parent directory",
    "Chart.yaml": "chart yaml not in base directory",
  };
  for (const [name, message] of Object.entries(outside)) {
    test(`with an entry ${name} is refused`, () => {
      throws(() => loadChart(tgz(tarEntry("f/Chart.yaml", meta), tarEntry(name, "x"))), {
        code: "HELM_ARCHIVE",
        message,
      });
    });
  }

  test("with links has empty files in their places", () => {
    const chart = loadChart(
      tgz(
        tarEntry("f/Chart.yaml", meta),
        tarEntry("f/soft", "", { type: "2", target: "/etc/passwd" }),
        tarEntry("f/hard", "", { type: "1", target: "f/Chart.yaml" }),
      ),
    );
    deepEqual(
      chart.files.map(({ name, data }) => [name, data.length]),
      [
        ["soft", 0],
        ["hard", 0],
      ],
    );
  });

  test("that inflates without end is not inflated", () => {
    const bomb = packed("f", { "Chart.yaml": meta, zeros: new Uint8Array(30 * mebibyte) });
    equal(bomb.length < 100_000, true);
    throws(() => loadChart(bomb, { maxChartBytes: mebibyte }), exceeds("maxChartBytes"));
    throws(() => loadChart(bomb), exceeds("maxFileBytes"));
  });

  test("shares its limits with the archives inside it", () => {
    const inner = packed("s", { "Chart.yaml": meta, zeros: new Uint8Array(4 * mebibyte) });
    const charts = Array.from({ length: 5 }, (_, index) => [`charts/s${index}.tgz`, inner] as const);
    const outer = packed("f", { "Chart.yaml": meta, ...Object.fromEntries(charts) });
    throws(() => loadChart(outer, { maxChartBytes: 10 * mebibyte }), exceeds("maxChartBytes"));
    throws(() => loadChart(outer, { maxFiles: 12 }), exceeds("maxFiles"));
    equal(loadChart(outer).charts.length, 5);
  });

  test("inside of itself ends at a depth", () => {
    let inner = packed("f", { "Chart.yaml": meta });
    for (let depth = 0; depth < 5; depth++) inner = packed("f", { "Chart.yaml": meta, "charts/f.tgz": inner });
    throws(() => loadChart(inner, { maxChartDepth: 3 }), exceeds("maxChartDepth"));
  });
});

describe("hostile files", () => {
  test("of values end at a number of values, subcharts and aliases counted", () => {
    const list = `a: [${"1,".repeat(1_000)}]`;
    throws(() => folder({ "values.yaml": list }, { maxValues: 900 }), exceeds("maxValues"));
    const subchart = { "charts/s/Chart.yaml": meta.replace(": f", ": s"), "charts/s/values.yaml": list };
    throws(() => folder({ "values.yaml": list, ...subchart }, { maxValues: 1_500 }), exceeds("maxValues"));
    const bomb = "a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n";
    throws(() => folder({ "values.yaml": bomb }, { maxValues: 500 }), exceeds("maxValues"));
  });

  test("of values that nest without end are named with their depth", () => {
    const values = `a: ${"[".repeat(2_000)}${"]".repeat(2_000)}`;
    throws(() => folder({ "values.yaml": values }), {
      code: "HELM_CHART",
      message: /^cannot load values\.yaml: .*maxDepth/,
    });
  });

  test("of rules and schemas end at a length", () => {
    throws(() => folder({ ".helmignore": "a\n".repeat(50) }, { maxIgnoreRules: 49 }), exceeds("maxIgnoreRules"));
    throws(() => folder({ "values.schema.json": " ".repeat(50) }, { maxSchemaLength: 49 }), exceeds("maxSchemaLength"));
  });

  test("of a schema that never ends are given up", async () => {
    const branch = { properties: { x: { $ref: "#/definitions/a" } } };
    const schema = JSON.stringify({ definitions: { a: { anyOf: [branch, branch] } }, $ref: "#/definitions/a" });
    const values = JSON.parse(`${'{"x":'.repeat(40)}1${"}".repeat(40)}`) as Record<string, unknown>;
    const limits = { maxSchemaMilliseconds: 50 };
    await rejects(
      render(folder({ "values.schema.json": schema }), { release, values, limits }),
      exceeds("maxSchemaMilliseconds"),
    );
  });

  test("of charts that multiply by aliases end at a number of charts", async () => {
    const entries = Array.from(
      { length: 20 },
      (_, index) => `- {name: s, version: 1.0.0, repository: "", alias: s${index}}`,
    );
    const dependencies = `dependencies:\n${entries.join("\n")}\n`;
    const named = (name: string): string => meta.replace(": f", `: ${name}`);
    const chart = folder({
      "Chart.yaml": meta + dependencies,
      "charts/s/Chart.yaml": named("s") + dependencies,
      "charts/s/charts/s/Chart.yaml": named("s"),
    });
    equal((await render(chart, { release })).documents.length, 0);
    await rejects(render(chart, { release, limits: { maxCharts: 300 } }), exceeds("maxCharts"));
  });

  test("of globals that go to many charts end at a number of values", async () => {
    const subcharts = Array.from({ length: 50 }, (_, index) => [
      `charts/s${index}/Chart.yaml`,
      meta.replace(": f", `: s${index}`),
    ]);
    const globals = Array.from({ length: 50 }, (_, index) => `g${index}: {a: 1}`).join(", ");
    const chart = folder({ "values.yaml": `global: {${globals}}`, ...Object.fromEntries(subcharts) });
    await rejects(render(chart, { release, limits: { maxValues: 2_000 } }), exceeds("maxValues"));
  });
});

describe("a hostile template", () => {
  const limits: Partial<HelmLimits> = {
    maxTokens: 50_000,
    maxSteps: 2_000_000,
    maxOutputLength: 4 * mebibyte,
    maxValueLength: mebibyte,
    maxDocuments: 5_000,
  };
  const dag = "{{ $d := dict }}{{ range until 50 }}{{ $d = dict `a` $d `b` $d }}{{ end }}";
  const large = "{{ $x := repeat 400000 `ab` }}";
  const attacks: Readonly<Record<string, readonly [template: string, limit: keyof HelmLimits]>> = {
    "of too many signs": ["{{1}}".repeat(20_000), "maxTokens"],
    "that stores large texts": [
      `${large}{{ $d := dict }}{{ range $i := until 600 }}{{ $_ := set $d (toString $i) (upper $x) }}{{ end }}`,
      "maxOutputLength",
    ],
    "that fills a map": [
      "{{ $d := dict }}{{ range $i := until 1000 }}{{ range $j := until 1000 }}{{ $_ := set $d (printf `%d-%d` $i $j) 1 }}{{ end }}{{ end }}",
      "maxOutputLength",
    ],
    "that parses texts it makes": [
      "{{ range $i := until 1000 }}{{ $_ := tpl (printf `{{if false}}%d%s{{end}}` $i (repeat 100 `{{.}}`)) 1 }}{{ end }}",
      "maxOutputLength",
    ],
    "that doubles a text": ["{{ $x := `x` }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}", "maxValueLength"],
    "that counts far": ["{{ until 2000000000 }}", "maxValueLength"],
    "that splits": [`${large}{{ splitList "" $x }}`, "maxValueLength"],
    "that splits by an expression": [`${large}{{ regexSplit "" $x -1 }}`, "maxOutputLength"],
    "that finds everywhere": [`${large}{{ regexFindAll "a" $x -1 }}`, "maxOutputLength"],
    "that reads JSON": ["{{ fromJsonArray (printf `[%s1]` (repeat 60000 `{},`)) }}", "maxValueLength"],
    "that reads YAML": ["{{ fromYamlArray (repeat 60000 `- {}\n`) }}", "maxValueLength"],
    "that replaces small by large": [`${large}{{ replace "a" $x $x }}`, "maxValueLength"],
    "that replaces an expression by large": [`${large}{{ regexReplaceAll "a" $x $x }}`, "maxOutputLength"],
    "that wraps with large": [`${large}{{ wrapWith 1 $x $x }}`, "maxOutputLength"],
    "that joins with large": [`${large}{{ join $x (until 1000) }}`, "maxValueLength"],
    "that indents far": ["{{ indent 100000 (repeat 1000 `a\n`) }}", "maxValueLength"],
    "that searches for long": [
      "{{ $x := repeat 400000 `ab` }}{{ range until 100 }}{{ $_ := regexMatch `c$` $x }}{{ end }}",
      "maxSteps",
    ],
    "that makes keys": ["{{ range until 1000 }}{{ derivePassword 1 `long` `p` `u` `s` }}{{ end }}", "maxSteps"],
    "that looks for primes": ["{{ range until 3 }}{{ genPrivateKey `rsa` }}{{ end }}", "maxSteps"],
    "of too many documents": ["{{ repeat 6000 `\n---\na: b` }}", "maxDocuments"],
    ...Object.fromEntries(
      ["toJson", "toYaml", "toYamlPretty", "toToml", "deepCopy", "quote", "print"].map((call) => [
        `that shares values under ${call}`,
        [`${dag}{{ $x := ${call} $d }}`, "maxValueLength"] as const,
      ]),
    ),
    "that merges shared values": [
      `${dag}{{ $e := $d }}{{ $d = dict }}${dag.replace("{{ $d := dict }}", "")}{{ $x := merge $d $e }}`,
      "maxSteps",
    ],
    "that prints shared values": [`${dag}{{ $d }}`, "maxValueLength"],
    "that prints itself": ["{{ $d := dict }}{{ $_ := set $d `a` $d }}{{ $d }}", "maxValueLength"],
  };
  for (const [name, [template, limit]] of Object.entries(attacks)) {
    test(`${name} ends at the limit ${limit}`, async () => {
      await rejects(render(folder({ "templates/a.yaml": template }), { release, limits }), exceeds(limit));
    });
  }

  test("is named with its line when it is stopped", async () => {
    const text = { "templates/a.yaml": "a: b\nb: {{ until 2000000000 }}" };
    const place = {
      code: "HELM_LIMIT",
      message: /^chart f: f\/templates\/a\.yaml:2:6 exceeds the limit maxValueLength/,
    };
    await rejects(render(folder(text), { release }), place);
    const signs = { "templates/b.yaml": "{{1}}".repeat(20) };
    const file = { code: "HELM_LIMIT", message: /^chart f: f\/templates\/b\.yaml exceeds the limit maxTokens/ };
    await rejects(render(folder(signs), { release, limits: { maxTokens: 10 } }), file);
  });

  test("that can't be read is the same fault every time it is tried", async () => {
    const chart = folder({ "templates/a.yaml": `${"{{1}}".repeat(100)}{{ if }}` });
    for (let attempt = 0; attempt < 5; attempt++)
      await rejects(render(chart, { release, limits: { maxTokens: 1_000 } }), { code: "HELM_RENDER" });
  });

  test("may compare shared values and such that contain themselves", async () => {
    const twice = `${dag}{{ $e := $d }}{{ $d = dict }}${dag.replace("{{ $d := dict }}", "")}`;
    const cycles = "{{ $_ := set $d `c` $d }}{{ $_ := set $e `c` $e }}";
    const template = `${twice}{{ deepEqual $d $e }}{{ has $d (list $e) }}${cycles}{{ deepEqual $d $e }}`;
    const { notes } = await render(folder({ "templates/NOTES.txt": template }), { release, limits });
    equal(notes.get("f/templates/NOTES.txt"), "truetruetrue");
  });

  test("takes no squared time for white space, slashes, long lines and many words", async () => {
    const start = performance.now();
    const spaces = " ".repeat(200_000);
    const templates = [
      `${spaces}x{{- 1 }}`,
      `{{ trim (printf "%sx" (repeat 200000 " ")) | len }}`,
      `{{ base (printf "%sx" (repeat 200000 "/")) }}`,
      "{{ 1 }}".repeat(20_000),
      `{{ repeat 100000 "a1" | snakecase | len }}{{ repeat 100000 "aB" | kebabcase | len }}`,
    ];
    const files = Object.fromEntries(templates.map((text, index) => [`templates/NOTES${index}NOTES.txt`, text]));
    await render(folder(files), { release });
    equal(performance.now() - start < 5_000, true);
  });
});
