import type { Chart } from "../chart/types.ts";
import { helm } from "../errors.ts";
import { withoutNoValue } from "../functions/helm.ts";
import { functionsFor } from "../functions/index.ts";
import { int } from "../go/int.ts";
import type { GoMap, GoValue } from "../go/values.ts";
import { defaultLimits, type HelmLimits } from "../limits.ts";
import { type Hook, type RenderedDocument, sortPieces, splitFiles } from "../output/documents.ts";
import { isCompatible } from "../semver/constraint.ts";
import { systemNow } from "../system-clock.ts";
import { describeExecError, describeExecError3, ExecError } from "../template/errors.ts";
import type { TemplateSet } from "../template/set.ts";
import { type LookupKey, Output, State } from "../template/state.ts";
import { coalesceValues, type ValuesContext } from "../values/coalesce.ts";
import { processDependencies } from "../values/dependencies.ts";
import { toGoMap, toGoValue } from "../values/plain.ts";
import { type ChartNode, toNode } from "../values/tree.ts";
import type { Compat } from "../version.ts";
import { type Capabilities, capabilitiesObject, type KubeVersion } from "./capabilities.ts";
import { type CrdFile, collectCrds } from "./crds.ts";
import { compiledTexts, compileTemplates } from "./programs.ts";
import { checkDependencies, checkReleaseName } from "./release.ts";
import { RenderRuntime } from "./runtime.ts";
import { collectTemplates, isPartial, type Renderable } from "./templates.ts";

/** The release that a chart is rendered for. */
export interface Release {
  readonly name: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** Default 1. */
  readonly revision?: number;
  readonly isUpgrade?: boolean;
}

/** What `lookup` of a template asks for; an empty `name` asks for all objects. */
export type Lookup = (key: LookupKey) => unknown;

export interface RenderOptions {
  readonly release: Release;
  /** The user's values as plain data. Numbers are floats, `bigint` is an int64 as `--set` makes it. */
  readonly values?: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;
  readonly capabilities?: Capabilities;
  /**
   * Answers `lookup`: an object, a list object for an empty name, undefined when there is none. Default: always none.
   * Synchronous, because templates are; fetch beforehand what they may ask for.
   */
  readonly lookup?: Lookup;
  readonly limits?: Partial<HelmLimits>;
  /** Stops the rendering between templates; within one the limits bound the time. */
  readonly signal?: AbortSignal;
  /** Follow helm 3 where it differs. Default 4. */
  readonly compat?: Compat;
  /** A missing key is an error. Default false. */
  readonly strict?: boolean;
  readonly skipSchemaValidation?: boolean;
  /** Milliseconds since the Unix epoch, for `now`. Default: the system's time. */
  readonly now?: () => number;
  /** The local time zone of the date functions. Default `UTC`. */
  readonly timeZone?: string;
  /** Whether templates may make keys, certificates and password hashes, which takes seconds. Default true. */
  readonly crypto?: boolean;
}

/** What a chart rendered. */
export interface Rendered {
  /** In the order of installation. */
  readonly documents: readonly RenderedDocument[];
  readonly hooks: readonly Hook[];
  readonly crds: readonly CrdFile[];
  /** The texts of NOTES.txt, by the path of the file. */
  readonly notes: ReadonlyMap<string, string>;
  /** What helm would say on standard error. */
  readonly warnings: readonly string[];
}

/** Everything a rendering needs, checked and put together. */
interface Prepared {
  readonly chart: Chart;
  readonly root: ChartNode;
  readonly templates: readonly Renderable[];
  readonly set: TemplateSet;
  readonly runtime: RenderRuntime;
  readonly compat: Compat;
  readonly limits: HelmLimits;
  readonly warnings: readonly string[];
}

const exceeded = (chart: Chart, limit: keyof HelmLimits, limits: HelmLimits, place?: string): Error =>
  helm.LIMIT({ chart: chart.metadata.name, limit, max: limits[limit], place });

function valuesContext(
  chart: Chart,
  { compat, limits, warnings }: { compat: Compat; limits: HelmLimits; warnings: string[] },
): ValuesContext {
  let [charts, values] = [0, 0];
  return {
    compat,
    warn: (text) => warnings.push(text),
    joined: () => {
      if (++charts > limits.maxCharts) throw exceeded(chart, "maxCharts", limits);
    },
    copied: (count) => {
      values += count;
      if (values > limits.maxValues) throw exceeded(chart, "maxValues", limits);
    },
  };
}

function releaseObject(release: Release): GoMap {
  const isUpgrade = release.isUpgrade ?? false;
  return new Map<string, GoValue>([
    ["Name", release.name],
    ["Namespace", release.namespace ?? "default"],
    ["IsUpgrade", isUpgrade],
    ["IsInstall", !isUpgrade],
    ["Revision", int(release.revision ?? 1)],
    ["Service", "Helm"],
  ]);
}

interface Followed {
  readonly compat: Compat;
  readonly limits: HelmLimits;
}

function runtimeFor(chart: Chart, options: RenderOptions, { compat, limits }: Followed): RenderRuntime {
  const { lookup } = options;
  return new RenderRuntime({
    chart: chart.metadata.name,
    limits,
    strict: options.strict ?? false,
    functions: functionsFor(compat),
    lookup: (key) => toGoValue(lookup?.(key) ?? new Map()),
    now: options.now ?? systemNow,
    zone: options.timeZone ?? "UTC",
    crypto: options.crypto ?? true,
    compat,
    texts: compiledTexts(chart, compat).texts,
  });
}

function checkKubeVersion(chart: Chart, kubeVersion: KubeVersion): void {
  const wanted = chart.metadata.kubeVersion;
  if (wanted !== "" && !isCompatible(wanted, kubeVersion.text)) {
    throw helm.RENDER({
      text: `chart requires kubeVersion: ${wanted} which is incompatible with Kubernetes ${kubeVersion.text}`,
    });
  }
}

async function prepare(chart: Chart, options: RenderOptions): Promise<Prepared> {
  const compat = options.compat ?? 4;
  const warnings = [...chart.warnings];
  const limits = { ...defaultLimits, ...options.limits };
  const context = valuesContext(chart, { compat, limits, warnings });
  checkDependencies(chart);
  checkReleaseName(options.release.name);
  const given = toGoMap(options.values ?? {});
  const root = toNode(chart);
  processDependencies(root, given, context);
  const { object: capabilities, kubeVersion } = capabilitiesObject(options.capabilities ?? {}, compat);
  const values = coalesceValues(root, given, context);
  if (options.skipSchemaValidation !== true && hasSchema(root)) {
    const { validateSchemas } = await import("../schema/validate.ts");
    validateSchemas(root, values, limits.maxSchemaMilliseconds);
  }
  checkKubeVersion(chart, kubeVersion);
  const shared = { release: releaseObject(options.release), capabilities, compat };
  const templates = collectTemplates(root, values, shared);
  const set = compileTemplates(templates, { chart, compat, maxTokens: limits.maxTokens });
  return {
    chart,
    root,
    templates,
    set,
    runtime: runtimeFor(chart, options, { compat, limits }),
    compat,
    limits,
    warnings,
  };
}

/** Values that contain themselves and templates that call each other end the stack before they reach a limit. */
const isStackOverflow = (error: unknown): boolean => error instanceof RangeError && /call stack/.test(error.message);

const hasSchema = (node: ChartNode): boolean => node.chart.schema !== undefined || node.charts.some(hasSchema);

function renderTemplate(template: Renderable, { set, runtime, compat }: Prepared): string {
  const program = set.lookup(template.path);
  if (program === undefined) return "";
  template.context.set(
    "Template",
    new Map([
      ["Name", template.path],
      ["BasePath", template.basePath],
    ]),
  );
  const out = new Output(runtime);
  const state = new State({ runtime, programs: set, program, out, dot: template.context });
  runtime.starts(state);
  try {
    program.body.exec(state, template.context);
  } catch (error) {
    if (isStackOverflow(error)) throw runtime.tooDeep();
    if (error instanceof RangeError && error.message === "Invalid string length") throw runtime.tooLong();
    if (!(error instanceof ExecError)) throw error;
    throw helm.RENDER({ text: compat === 3 ? describeExecError3(error) : describeExecError(error) });
  }
  return withoutNoValue(out.text);
}

function finish(prepared: Prepared, files: ReadonlyMap<string, string>): Rendered {
  const isNotes = (path: string): boolean => path.endsWith("NOTES.txt");
  const notes = new Map([...files].filter(([path]) => isNotes(path)));
  const manifests = new Map([...files].filter(([path]) => !isNotes(path)));
  const { chart, limits } = prepared;
  const pieces = splitFiles(manifests, limits.maxDocuments);
  if (pieces.length > limits.maxDocuments) throw exceeded(chart, "maxDocuments", limits, pieces.at(-1)?.source);
  const { documents, hooks, skipped } = sortPieces(pieces, prepared.compat);
  const warnings = [...prepared.warnings, ...skipped.map((events) => `skipping unknown hooks: ${events}`)];
  return { documents, hooks, crds: collectCrds(prepared.root), notes, warnings };
}

/** Work after which others get a turn: a few milliseconds. */
const stepsPerTurn = 50_000;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function renderAll(prepared: Prepared, signal: AbortSignal | undefined): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  let nextTurn = stepsPerTurn;
  for (const template of prepared.templates) {
    if (isPartial(template.path)) continue;
    files.set(template.path, renderTemplate(template, prepared));
    if (prepared.runtime.steps < nextTurn) continue;
    nextTurn = prepared.runtime.steps + stepsPerTurn;
    await turn();
    signal?.throwIfAborted();
  }
  return files;
}

/**
 * Renders a chart as `helm template` does. Pure: the chart stays as it is, nothing is read or written.
 *
 * Yields to the event loop between templates; within one the limits bound the time.
 * Throws `HELM_VALUES`, `HELM_RENDER` with helm's own text, `HELM_LIMIT`, or the reason of the signal.
 */
export async function render(chart: Chart, options: RenderOptions): Promise<Rendered> {
  options.signal?.throwIfAborted();
  const prepared = await prepare(chart, options);
  return finish(prepared, await renderAll(prepared, options.signal));
}

/** Renders the files of a chart as {@link render} does, but leaves them whole, whether they are YAML or not. */
export async function renderFiles(chart: Chart, options: RenderOptions): Promise<ReadonlyMap<string, string>> {
  options.signal?.throwIfAborted();
  return renderAll(await prepare(chart, options), options.signal);
}
