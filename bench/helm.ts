/** P9 and P10: rendering real and large charts, against the helm binary in the same run. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Chart, formatRendered, loadChart, render } from "helm-ts-lite";
import { RenderCache } from "../controllers/manifest/render/cache.ts";
import { Renderer } from "../controllers/manifest/render/renderer.ts";
import { oracles } from "../testing/oracles/index.ts";
import { type Measurement, median, medianMs, type RunOptions, type Workload } from "./measurement.ts";

const run = promisify(execFile);
const release = { name: "bench" };
const root = join(import.meta.dirname, "..");

export const workload: Workload = { name: "helm rendering", run: measure };

type Files = ReadonlyMap<string, string>;

const meta = (name: string): string => `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`;

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "lib.name" . }}
  labels: {{- include "lib.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas | default 1 }}
  selector:
    matchLabels: {{- include "lib.labels" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "lib.labels" . | nindent 8 }}
    spec:
      containers:
        - name: {{ .Chart.Name | trunc 63 | trimSuffix "-" }}
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
          {{- with .Values.resources }}
          resources: {{- toYaml . | nindent 12 }}
          {{- end }}
          env:
            {{- range $name, $value := .Values.env }}
            - name: {{ $name | upper | replace "-" "_" }}
              value: {{ tpl $value $ | quote }}
            {{- end }}
`;

const helpers = `{{- define "lib.name" -}}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{- end }}
{{- define "lib.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
`;

const values = `replicas: 2
image: {repository: registry.example.test/app, tag: "1.2.3"}
resources: {limits: {cpu: 100m, memory: 128Mi}, requests: {cpu: 10m, memory: 64Mi}}
env: {log-level: info, region: eu, name: "{{ .Release.Name }}", mode: prod}
`;

/** An ordinary application chart. */
function ordinary(name: string): Map<string, string> {
  return new Map([
    ["Chart.yaml", meta(name)],
    ["values.yaml", values],
    ["templates/_helpers.tpl", helpers],
    ["templates/deployment.yaml", deployment],
    [
      "templates/service.yaml",
      'apiVersion: v1\nkind: Service\nmetadata: {name: {{ include "lib.name" . }}}\nspec: {ports: [{port: 80}]}\n',
    ],
  ]);
}

/** A chart that carries CRDs as templates: more than 1 MB of output. */
function large(): Map<string, string> {
  const property = (index: number): string =>
    `              field${index}:\n                description: a field of the object that says at some length what it is for\n                type: string\n`;
  const properties = Array.from({ length: 900 }, (_, index) => property(index)).join("");
  const crd = (index: number): string =>
    `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things${index}.example.test\n  labels: {{- include "lib.labels" . | nindent 4 }}\nspec:\n  group: example.test\n  versions:\n    - name: v1\n      schema:\n        openAPIV3Schema:\n          properties:\n            spec:\n${properties}`;
  const files = ordinary("large");
  for (let index = 0; index < 10; index++) files.set(`templates/crd-${index}.yaml`, crd(index));
  return files;
}

function umbrella(count: number): Map<string, string> {
  const files = new Map([
    ["Chart.yaml", meta("umbrella")],
    ["values.yaml", "global: {region: eu}\n"],
  ]);
  for (let index = 0; index < count; index++) {
    for (const [path, text] of ordinary(`sub${index}`)) files.set(`charts/sub${index}/${path}`, text);
  }
  return files;
}

const bytesOf = (files: Files): Map<string, Uint8Array> =>
  new Map(Array.from(files, ([path, text]) => [path, Buffer.from(text)] as const));

const load = (files: Files): Chart => loadChart(bytesOf(files));

async function write(folder: string, files: Files): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** The median of whole processes, ours and helm's in turn, so that a noisy moment hits both. */
async function processes(runs: number, commands: readonly (readonly string[])[]): Promise<number[]> {
  const times = commands.map((): number[] => []);
  for (let index = 0; index < runs; index++) {
    for (const [which, [program = "", ...args]] of commands.entries()) {
      const start = performance.now();
      await run(program, args, { maxBuffer: 2 ** 28 });
      times[which]?.push(performance.now() - start);
    }
  }
  return times.map(median);
}

interface Setting {
  readonly folder: string;
  readonly kyma: string;
  readonly helm: string;
  readonly runs: number;
}

/** Charts that print values instead of objects, which the module manager refuses. */
const noModules: ReadonlySet<string> = new Set(["recorded chart deep-subcharts"]);

/** The module manager's look-up of a rendering that is there, its key included. */
async function cachedMs(digest: string, files: Files, runs: number): Promise<number> {
  const renderer = new Renderer(new RenderCache());
  const content = { kind: "chart", files: bytesOf(files) } as const;
  const source = { digest, name: "bench", ref: "bench", load: async () => content };
  const input = {
    releaseName: "bench",
    namespace: "default",
    values: async () => ({}),
    capabilities: async () => ({ kubeVersion: "v1.35.0", apiVersions: [] }),
  };
  const { signal } = new AbortController();
  const lookUps = 1_000;
  const total = await medianMs(runs, async () => {
    for (let index = 0; index < lookUps; index++) await renderer.render(source, input, signal);
  });
  return total / lookUps;
}

async function p9(name: string, files: Files, { folder, kyma, helm, runs }: Setting): Promise<Measurement[]> {
  const path = join(folder, name.replaceAll(" ", "-"));
  await write(path, files);
  const [ours = Number.NaN, theirs = Number.NaN] = await processes(runs, [
    [process.execPath, kyma, "template", "bench", path],
    [helm, "template", "bench", path],
  ]);
  const allowed = theirs >= 200 ? 1 : 2;
  const chart = load(files);
  const warm = await medianMs(runs, async () => formatRendered(await render(chart, { release })));
  const cached = noModules.has(name) ? [] : [await cachedMs(chart.digest, files, runs)];
  const peer = { name: "helm 4.1.4, ms", value: theirs };
  return [
    {
      id: "P9",
      what: `${name}, cold`,
      value: ours,
      unit: "ms",
      peer,
      target: `≤ ${allowed} × helm`,
      met: ours <= theirs * allowed,
    },
    {
      id: "P9",
      what: `${name}, warm`,
      value: warm,
      unit: "ms",
      peer,
      target: "≤ 0.2 × helm",
      met: warm <= theirs * 0.2,
    },
    ...cached.map((value) => ({
      id: "P9",
      what: `${name}, cached`,
      value,
      unit: "ms",
      target: "≤ 0.05 ms",
      met: value <= 0.05,
    })),
  ];
}

async function p10(sizes: readonly number[], runs: number): Promise<Measurement[]> {
  const times: number[] = [];
  for (const size of sizes) {
    const files = umbrella(size);
    times.push(await medianMs(runs, async () => formatRendered(await render(load(files), { release }))));
  }
  const [first = Number.NaN, last = Number.NaN] = [times[0], times.at(-1)];
  const slope = Math.log(last / first) / Math.log((sizes.at(-1) ?? 1) / (sizes[0] ?? 1));
  const largest = `umbrella chart with ${sizes.at(-1)} subcharts, loaded and rendered`;
  return [
    { id: "P10", what: largest, value: last, unit: "ms", target: "≤ 2,000 ms", met: last <= 2_000 },
    {
      id: "P10",
      what: `slope over ${sizes.join(", ")} subcharts`,
      value: slope,
      unit: "log-log",
      target: "≤ 1.1",
      met: slope <= 1.1,
    },
  ];
}

/** The command line as it ships, within a package of ES modules. */
async function bundle(folder: string): Promise<string> {
  await run(process.execPath, [join(root, "hack/build.ts"), "--outdir", join(folder, "dist")]);
  await writeFile(join(folder, "package.json"), '{"type":"module"}\n');
  return join(folder, "dist/kyma.js");
}

/** Charts of the recorded cases that need no values of their own. */
async function recorded(): Promise<[string, Files][]> {
  const cases = resolve(root, process.env["CASES"] ?? "../shared", "cases/helm");
  const charts: [string, Files][] = [];
  for (const name of ["minimal-app", "deep-subcharts"]) {
    const chart = join(cases, name, "chart");
    const entries = await readdir(chart, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const texts = await Promise.all(
      files.map(async (file) => [file.slice(chart.length + 1), await readFile(file, "utf8")] as const),
    );
    if (texts.length > 0) charts.push([`recorded chart ${name}`, new Map(texts)]);
  }
  return charts;
}

async function measure({ smoke }: RunOptions): Promise<readonly Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-helm-"));
  try {
    const runs = smoke ? 1 : 9;
    const setting = { folder, kyma: await bundle(folder), helm: (await oracles()).helm, runs };
    const charts: [string, Files][] = [
      ["ordinary chart", ordinary("app")],
      ["chart with 1.2 MB of CRDs", large()],
      ["umbrella chart with 100 subcharts", umbrella(smoke ? 5 : 100)],
      ...(await recorded()),
    ];
    const results: Measurement[] = [];
    for (const [name, files] of charts) results.push(...(await p9(name, files, setting)));
    return [...results, ...(await p10(smoke ? [2, 4] : [10, 30, 63, 100], smoke ? 1 : 5))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
