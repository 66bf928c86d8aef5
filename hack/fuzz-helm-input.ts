/** `fuzz-helm-input.ts [--inputs=N] [--seed=N]`: random input for the template parser, YAML, archives and `--set`: no hang, crash or growth. */
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { isAppError } from "@kyma-operators/errors";
import { outlineYaml, parseYamlDocuments } from "@kyma-operators/yaml";
import { loadChart, mergeUserValues, renderFiles } from "helm-ts-lite";
import { HelmGenerator } from "./helm-generator.ts";
import { mutate, seeded } from "./mutate.ts";

const { values: flags } = parseArgs({
  options: { inputs: { type: "string", default: "1000000" }, seed: { type: "string", default: "1" } },
});

const slowestAllowedMs = 1_000;
const growthAllowed = 256 * 1024 * 1024;

interface Target {
  readonly name: string;
  /** Part of all inputs. */
  readonly share: number;
  readonly seeds: readonly string[];
  readonly run: (input: Uint8Array) => unknown;
}

const meta = Buffer.from("apiVersion: v2\nname: f\nversion: 1.0.0\n");
const text = (input: Uint8Array): string => Buffer.from(input).toString("utf8");

/** One entry of a tar archive, with a header that is right. */
function tarEntry(name: string, data: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write(`${data.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("        ", 148);
  header.write("0", 156);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
  );
  return Buffer.concat([header, Buffer.from(data), Buffer.alloc((512 - (data.length % 512)) % 512)]);
}

const archive = Buffer.concat([
  tarEntry("f/Chart.yaml", meta.toString()),
  tarEntry("f/templates/a.yaml", "a: {{ .Values.x }}\n"),
  Buffer.alloc(1_024),
]);
const generator = new HelmGenerator(Number(flags.seed));
const templates = Array.from({ length: 60 }, () => generator.template());

const targets: readonly Target[] = [
  {
    name: "templates",
    share: 0.25,
    seeds: templates,
    run: (input) =>
      renderFiles(
        loadChart(
          new Map([
            ["Chart.yaml", meta],
            ["templates/a", input],
          ]),
        ),
        { release: { name: "r" }, crypto: false, limits: { maxSteps: 20_000, maxValueLength: 1_000_000 } },
      ),
  },
  {
    name: "yaml",
    share: 0.4,
    seeds: ["a: [1, {b: c}]\nd: |\n  x\n", "? x\n: - y\n&a b: *a\n", '"a\\n": >-\n  b\n...\n---\n!!str c\n'],
    run: (input) => [outlineYaml(text(input), () => true), parseYamlDocuments(text(input))],
  },
  {
    name: "set",
    share: 0.3,
    seeds: ["a.b[0].c=1,d={x,y}", "a[1][2]=\\,,b.c=null"],
    run: (input) =>
      mergeUserValues({ set: [text(input)], setLiteral: [text(input)], setString: [text(input)] }, () => text(input)),
  },
  {
    name: "archives",
    share: 0.05,
    seeds: [archive.toString("latin1")],
    run: (input) => loadChart(gzipSync(input, { level: 1 }), { maxChartBytes: 1_000_000 }),
  },
];

const tokens = [
  "{{",
  "}}",
  "{{-",
  "-}}",
  "|",
  "(",
  ")",
  "end",
  "range",
  "$x := ",
  "..",
  "\n",
  ": ",
  "- ",
  "[",
  "]",
  "{",
  "}",
  ",",
  "=",
  "\\",
  "&a ",
  "*a",
  "!!",
  "'",
  '"',
  "#",
  "999999999",
].map((token) => Buffer.from(token));
const random = seeded(Number(flags.seed));
const total = Number(flags.inputs);
let failures = 0;

/** Time of this process alone, so that a busy machine makes no input slow. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function attempt(target: Target, input: Uint8Array): Promise<void> {
  try {
    await target.run(input);
  } catch (error) {
    if (isAppError(error)) return;
    failures++;
    console.log(
      `${target.name}: ${error instanceof Error ? error.stack : String(error)}\n  input ${JSON.stringify(Buffer.from(input).toString("latin1"))}`,
    );
  }
}

for (const target of targets) {
  const corpus = target.seeds.map((seed) => Buffer.from(seed, target.name === "archives" ? "latin1" : "utf8"));
  const count = Math.round(total * target.share);
  const before = process.memoryUsage().heapUsed;
  let slowest = 0;
  let highest = 0;
  for (let index = 0; index < count && failures < 5; index++) {
    const input = mutate(random, corpus, tokens);
    const start = cpuMs();
    await attempt(target, input);
    slowest = Math.max(slowest, cpuMs() - start);
    if (index % 1_000 === 0) highest = Math.max(highest, process.memoryUsage().heapUsed - before);
  }
  if (slowest > slowestAllowedMs || highest > growthAllowed) failures++;
  console.log(
    `${target.name}: ${count} inputs, slowest ${slowest.toFixed(0)} ms, growth ${(highest / 2 ** 20).toFixed(0)} MiB`,
  );
}
process.exitCode = failures === 0 ? 0 : 1;
