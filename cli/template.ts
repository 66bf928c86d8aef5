import { hasCode, textOf } from "@kyma-operators/errors";
import { Command, Option } from "commander";
import {
  type Chart,
  type Compat,
  formatRendered,
  loadChart,
  mergeUserValues,
  type Rendered,
  type RenderOptions,
  render,
  renderFiles,
  renderName,
  selectDocuments,
  shownHooks,
  type UserValues,
} from "helm-ts-lite";
import { ExitCode, exitCodes } from "./command.ts";
import type { Io } from "./io.ts";
import { type TemplateFiles, templateFiles } from "./template-files.ts";

interface Flags {
  readonly values: readonly string[];
  readonly set: readonly string[];
  readonly setString: readonly string[];
  readonly setJson: readonly string[];
  readonly setFile: readonly string[];
  readonly setLiteral: readonly string[];
  readonly namespace: string;
  readonly includeCrds?: boolean;
  readonly hooks: boolean;
  readonly skipTests?: boolean;
  readonly showOnly: readonly string[];
  readonly kubeVersion?: string;
  readonly apiVersions: readonly string[];
  readonly isUpgrade?: boolean;
  readonly nameTemplate?: string;
  readonly outputDir?: string;
  readonly releaseName?: boolean;
  readonly skipSchemaValidation?: boolean;
  readonly debug?: boolean;
  readonly helmCompat: string;
}

const repeat = (value: string, before: readonly string[]): readonly string[] => [...before, value];
const list = (value: string, before: readonly string[]): readonly string[] => [...before, ...value.split(",")];

/** Flags of `helm template` that need what this command does not have. */
const refused: Readonly<Record<string, string>> = {
  "--dependency-update":
    "dependencies are never fetched; put the charts into charts/, for example with `helm dependency build`",
  "--validate": "nothing is checked against a cluster; apply with `kubectl apply --dry-run=server` instead",
  "--post-renderer <name>": "no program is run; pipe the output through it instead",
  "--repo <url>": "charts are not fetched; download the chart and name its path",
  "--verify": "provenance is not checked here",
};

function refuse(flag: string): () => never {
  const [name = flag] = flag.split(" ");
  return () => {
    throw new ExitCode(exitCodes.refused, `${name} is not supported: ${refused[flag] ?? ""}`);
  };
}

/** `kyma template [NAME] CHART`: the standard output of `helm template`, without helm. */
export function command(io: Io): Command {
  const made = new Command()
    .description(
      "Render a Helm chart and print its documents, byte for byte as `helm template` does. Nothing is fetched.",
    )
    .argument("[args...]", "[NAME] CHART: release name, and a chart directory or .tgz file")
    .option("-f, --values <file>", "values file; repeatable, later ones win (- for standard input)", repeat, [])
    .option("--set <pairs>", "values as key=value,…", repeat, [])
    .option("--set-string <pairs>", "values that stay texts", repeat, [])
    .option("--set-json <pairs>", "values as JSON: key=JSON,… or an object", repeat, [])
    .option("--set-file <pairs>", "values from files: key=path,…", repeat, [])
    .option("--set-literal <pair>", "one value, taken as it stands", repeat, [])
    .option("-n, --namespace <name>", "namespace of the release", "default")
    .option("--include-crds", "print the files of crds/, too")
    .option("--no-hooks", "leave out hooks")
    .option("--skip-tests", "leave out test hooks")
    .option("-s, --show-only <pattern>", "print only templates that match; repeatable", repeat, [])
    .option("--kube-version <version>", "Kubernetes version for Capabilities.KubeVersion")
    .option("-a, --api-versions <list>", "API versions for Capabilities.APIVersions; repeatable", list, [])
    .option("--is-upgrade", "set .Release.IsUpgrade instead of .Release.IsInstall")
    .option("--name-template <template>", "template for the name of the release")
    .option("--output-dir <dir>", "write the documents to files below a folder instead of printing them")
    .option("--release-name", "with --output-dir: use the release name as a folder")
    .option("--skip-schema-validation", "do not check values against values.schema.json")
    .option("--debug", "print the rendered text even when it is not YAML")
    .addOption(
      new Option("--helm-compat <major>", "follow helm 4 or helm 3 where they differ").choices(["3", "4"]).default("4"),
    )
    .action((args: readonly string[], flags: Flags) => run(args, flags, io));
  for (const flag of Object.keys(refused)) {
    made.addOption(new Option(flag).hideHelp().argParser(refuse(flag)));
    made.on(`option:${flag.split(" ")[0]?.slice(2) ?? ""}`, refuse(flag));
  }
  return made;
}

/** How a command was called is wrong, not what it read. */
function misused(message: string): ExitCode {
  return new ExitCode(exitCodes.refused, message);
}

interface Target {
  readonly name: string;
  readonly chart: string;
}

function targetOf(args: readonly string[], flags: Flags): Target {
  if (args.length > 2)
    throw misused(`expected at most two arguments, unexpected arguments: ${args.slice(2).join(", ")}`);
  const [first = "", second] = args;
  const { nameTemplate } = flags;
  const compat = Number(flags.helmCompat) as Compat;
  if (second !== undefined) {
    if (nameTemplate !== undefined) throw misused("cannot set --name-template and also specify a name");
    return { name: first, chart: second };
  }
  if (first === "") throw misused('"kyma template" requires at least 1 argument: [NAME] CHART');
  return {
    name: nameTemplate === undefined ? "release-name" : ofFlags(() => renderName(nameTemplate, compat)),
    chart: first,
  };
}

async function readValues(flags: Flags, io: Io, files: TemplateFiles): Promise<ReadonlyMap<string, unknown>> {
  const texts = flags.values.map(async (name) => ({
    name,
    text: name === "-" ? Buffer.from(await io.stdin()).toString("utf8") : files.readText(name),
  }));
  const { set, setString, setJson, setFile, setLiteral } = flags;
  const given = { files: await Promise.all(texts), set, setString, setJson, setFile, setLiteral };
  const merge = (user: UserValues) =>
    mergeUserValues(user, (path) => files.readText(path), Number(flags.helmCompat) as Compat);
  return ofFlags(
    () => merge(given),
    () => merge({ files: given.files }), // throws where a file is to blame
  );
}

/** What `body` makes of flags. Ends with the usage code where helm refuses them, unless `others` throws. */
function ofFlags<T>(body: () => T, others: () => unknown = () => undefined): T {
  const made = attempt(body);
  if (!(made instanceof Error)) return made;
  if (!hasCode(made, "HELM_VALUES")) throw made;
  others();
  throw misused(textOf(made));
}

async function run(args: readonly string[], flags: Flags, io: Io): Promise<void> {
  const files = templateFiles(io.cwd);
  const target = targetOf(args, flags);
  const values = await readValues(flags, io, files);
  const compat = Number(flags.helmCompat) as Compat;
  const chart = readChart(target.chart, { files, io, compat });
  if (chart.metadata.deprecated) io.stderr.write("WARNING: this chart is deprecated\n");
  const options: RenderOptions = {
    release: { name: target.name, namespace: flags.namespace, isUpgrade: flags.isUpgrade ?? false },
    values,
    capabilities: {
      apiVersions: flags.apiVersions,
      ...(flags.kubeVersion === undefined ? {} : { kubeVersion: flags.kubeVersion }),
    },
    skipSchemaValidation: flags.skipSchemaValidation ?? false,
    signal: io.signal,
    now: () => io.clock.now(),
    timeZone: io.env.TZ === undefined || io.env.TZ === "" ? "UTC" : io.env.TZ,
    compat,
  };
  const rendered = await rendering(chart, options, { debug: flags.debug ?? false, io });
  for (const warning of rendered.warnings) io.stderr.write(`WARNING: ${warning}\n`);
  if (flags.outputDir === undefined) io.stdout.write(outputOf(rendered, flags));
  else writeFiles(rendered, flags, { io, files, name: target.name });
}

interface Reading {
  readonly files: TemplateFiles;
  readonly io: Io;
  readonly compat: Compat;
}

function readChart(path: string, { files, io, compat }: Reading): Chart {
  const source = files.readChart(path);
  const chart = attempt(() => loadChart(source, { name: path, compat }));
  if (!(chart instanceof Error)) return chart;
  if (compat === 3 || !hasCode(chart, "HELM_ARCHIVE")) throw chart;
  // helm 4 hides what is wrong with an archive; the error itself stays as it says it.
  io.stderr.write(`${path}: ${textOf(chart)}\n`);
  throw new Error("unable to load chart archive");
}

function attempt<T>(body: () => T): T | Error {
  try {
    return body();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function rendering(
  chart: Chart,
  options: RenderOptions,
  { debug, io }: { debug: boolean; io: Io },
): Promise<Rendered> {
  try {
    return await render(chart, options);
  } catch (error) {
    if (!hasCode(error, "HELM_RENDER")) throw error;
    if (!debug) throw new Error(`${textOf(error)}\n\nUse --debug flag to render out invalid YAML`, { cause: error });
    for (const [path, text] of await renderFiles(chart, options)) io.stdout.write(`---\n# Source: ${path}\n${text}\n`);
    throw error;
  }
}

function outputOf(rendered: Rendered, flags: Flags): string {
  const output = formatRendered(rendered, printOptions(flags));
  return flags.showOnly.length === 0 ? output : selectDocuments(output, flags.showOnly);
}

function printOptions(flags: Flags): Parameters<typeof formatRendered>[1] & object {
  return { includeCrds: flags.includeCrds ?? false, noHooks: !flags.hooks, skipTests: flags.skipTests ?? false };
}

function writeFiles(rendered: Rendered, flags: Flags, to: { io: Io; files: TemplateFiles; name: string }): void {
  const folder = flags.releaseName === true ? `${flags.outputDir ?? ""}/${to.name}` : (flags.outputDir ?? "");
  const crds = flags.includeCrds === true ? rendered.crds : [];
  for (const { source, text } of [...crds, ...rendered.documents, ...shownHooks(rendered, printOptions(flags))]) {
    const path = to.files.writeBelow(folder, source, `---\n# Source: ${source}\n${text}\n`);
    to.io.stdout.write(`wrote ${path}\n`);
  }
  // helm goes on with what is left to print: nothing, in which --show-only finds no template.
  to.io.stdout.write(flags.showOnly.length === 0 ? "\n" : selectDocuments("", flags.showOnly));
}
