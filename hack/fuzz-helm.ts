/** `fuzz-helm.ts [--inputs=N] [--seed=N]`: renders random templates with the real helm and with ours; any difference is printed. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { textOf } from "@kyma-operators/errors";
import { formatRendered, loadChart, render } from "helm-ts-lite";
import { oracles } from "../testing/oracles/index.ts";
import { HelmGenerator } from "./helm-generator.ts";

const { values: flags } = parseArgs({
  options: { inputs: { type: "string", default: "20000" }, seed: { type: "string", default: "1" } },
});
const run = promisify(execFile);
const { helm } = await oracles();

const batchSize = 200;
const helmTimeout = 20_000;
const hangs = "Error: helm does not end";
const meta = "apiVersion: v2\nname: fuzz\nversion: 1.0.0\n";
const helper = '{{ define "helper" }}[{{ . }}|{{ typeOf . }}]{{ end }}';
const hint = "\n\nUse --debug flag to render out invalid YAML";

/** A file whose output is one quoted text, so that nothing it prints can break the document. */
const wrap = (template: string, name: string): string =>
  `{{ define "${name}" }}${template}{{ end }}kind: Fuzz\nout: {{ include "${name}" . | quote }}\n`;

interface Batch {
  readonly templates: Map<string, string>;
  readonly values: string;
}

/** What helm prints. On a busy machine it has been seen to print nothing and end well; then it is asked again. */
async function real(folder: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const printed = await ask(folder);
    if (printed !== "" || attempt === 5) return printed;
  }
}

async function ask(folder: string): Promise<string> {
  try {
    const { stdout } = await run(helm, ["template", "rel", folder, "-f", join(folder, "given.yaml")], {
      maxBuffer: 2 ** 28,
      timeout: helmTimeout,
      killSignal: "SIGKILL",
      env: { ...process.env, TZ: "UTC" },
    });
    return stdout;
  } catch (error) {
    const { stderr, killed } = error as { stderr: string; killed: boolean };
    if (killed) return hangs;
    return `Error: ${stderr
      .slice(stderr.indexOf("Error: ") + 7)
      .replace(hint, "")
      .trimEnd()}`;
  }
}

async function ours({ templates, values }: Batch): Promise<string> {
  const texts = new Map([...templates, ["Chart.yaml", meta], ["templates/_helper.tpl", helper]]);
  const files = new Map(Array.from(texts, ([path, text]) => [path, Buffer.from(text)] as const));
  const given = JSON.parse(values) as Record<string, unknown>;
  try {
    return formatRendered(await render(loadChart(files), { release: { name: "rel" }, values: given }));
  } catch (error) {
    return `Error: ${textOf(error)}`;
  }
}

async function write(folder: string, { templates, values }: Batch): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "templates"), { recursive: true });
  await writeFile(join(folder, "Chart.yaml"), meta);
  await writeFile(join(folder, "templates/_helper.tpl"), helper);
  await writeFile(join(folder, "given.yaml"), yamlSafe(values));
  await Promise.all([...templates].map(([path, text]) => writeFile(join(folder, path), text)));
}

/** JSON is YAML, if characters that YAML takes for line breaks are escaped. */
function yamlSafe(json: string): string {
  return json.replace(
    /[\u007f-\ud7ff\ue000-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** An error with bytes that are not UTF-8 alike, however they were decoded. */
const legible = (error: string): string => error.replace(/[\ud800-\udfff\ufffd]+/gu, "\ufffd");

/** The template that an error is about. */
function culprit(output: string, templates: ReadonlyMap<string, string>): string | undefined {
  const name = /fuzz\/(templates\/f\d+\.yaml)/.exec(output)?.[1];
  return name !== undefined && templates.has(name) ? name : undefined;
}

const tally = { compared: 0, differences: 0, givenUp: 0 };

function report(
  kind: string,
  { templates, values }: Batch,
  pair: { want: string; got: string; name: string | undefined },
): void {
  tally.differences++;
  const template = pair.name === undefined ? "" : (templates.get(pair.name) ?? "");
  console.log(
    `${kind} ${template}\n  values ${values}\n  helm ${JSON.stringify(pair.want.slice(0, 1_000))}\n  ours ${JSON.stringify(pair.got.slice(0, 1_000))}`,
  );
}

function comparePrinted(batch: Batch, want: string, got: string): void {
  const split = (text: string): string[] => text.split(/(?=^---\n# Source: )/m);
  const [wanted, gotten] = [split(want), split(got)];
  wanted.forEach((document, index) => {
    const other = gotten[index] ?? "";
    if (document !== other)
      report("output", batch, { want: document, got: other, name: culprit(document, batch.templates) });
  });
}

/** Compares a batch; a template that fails is compared by its error and taken out. */
async function compareTogether(batch: Batch, folder: string): Promise<void> {
  while (batch.templates.size > 0) {
    await write(folder, batch);
    const [want, got] = await Promise.all([real(folder), ours(batch)]);
    if (!want.startsWith("Error: ")) {
      tally.compared += batch.templates.size;
      if (want !== got) comparePrinted(batch, want, got);
      return;
    }
    // A value that contains itself crashes helm or keeps it busy for ever; ours ends it at a limit.
    if (want === hangs || want.includes("goroutine stack exceeds")) {
      tally.givenUp += batch.templates.size;
      return;
    }
    const name = culprit(want, batch.templates);
    if (legible(want) !== legible(got)) report("error", batch, { want, got, name });
    if (name === undefined) return;
    tally.compared++;
    batch.templates.delete(name);
  }
}

/** helm stops at the first error: templates that fail by themselves go one by one, so that the rest is rendered once. */
async function compare({ templates, values }: Batch, folder: string): Promise<void> {
  const together = new Map<string, string>();
  for (const [path, template] of templates) {
    const alone = { templates: new Map([[path, template]]), values };
    if ((await ours(alone)).startsWith("Error: ")) await compareTogether(alone, folder);
    else together.set(path, template);
  }
  await compareTogether({ templates: together, values }, folder);
}

const progressStep = 1_000;
const wanted = Number(flags.inputs);
let nextBatch = 0;
let nextProgress = progressStep;

/** Takes one batch after the other until enough is compared. */
async function lane(): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "fuzz-helm-"));
  while (tally.compared < wanted) {
    const generator = new HelmGenerator(Number(flags.seed) * 100_003 + nextBatch++);
    const templates = new Map(
      Array.from(
        { length: batchSize },
        (_, index) => [`templates/f${index}.yaml`, wrap(generator.template(), `f${index}`)] as const,
      ),
    );
    await compare({ templates, values: JSON.stringify(generator.values()) }, join(root, "fuzz"));
    if (tally.compared < nextProgress) continue;
    console.log(`${tally.compared} templates compared, ${tally.differences} differences`);
    nextProgress = tally.compared + progressStep;
  }
  await rm(root, { recursive: true, force: true });
}

// helm spends most of its time on starting.
await Promise.all(Array.from({ length: 4 }, lane));
console.log(
  `${tally.compared} templates compared with helm, ${tally.differences} differences, ${tally.givenUp} given up by helm (seed ${flags.seed})`,
);
process.exitCode = tally.differences === 0 ? 0 : 1;
