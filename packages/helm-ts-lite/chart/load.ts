import { createHash } from "node:crypto";
import { hasCode } from "@kyma-operators/errors";
import { helm } from "../errors.ts";
import { fromBytes } from "../go/bytes.ts";
import type { GoMap } from "../go/values.ts";
import { countValues } from "../go/weigh.ts";
import { asMap, readYaml, readYamlDocuments, YamlError } from "../go/yaml.ts";
import { mergeValues } from "../values/merge.ts";
import type { Compat } from "../version.ts";
import { readArchive } from "./archive.ts";
import type { ChartBudget } from "./budget.ts";
import { parseMetadata, parseRequirements } from "./metadata.ts";
import type { Chart, ChartFile, Dependency, Metadata } from "./types.ts";
import { validateMetadata } from "./validate.ts";

/** How a chart is loaded. */
export interface Loading {
  readonly budget: ChartBudget;
  readonly compat: Compat;
}

const textOf = (file: ChartFile): string => fromBytes(file.data);

/** Reads the defaults of a chart; helm 4 merges several documents. */
function loadValues(file: ChartFile, { budget, compat }: Loading): GoMap {
  try {
    const text = textOf(file);
    const documents = compat === 3 ? [readYaml(text, budget.valuesLeft)] : readYamlDocuments(text, budget.valuesLeft);
    const values = documents.map((each) => asMap(each)).reduce(mergeValues, new Map());
    budget.values(countValues(values));
    return values;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    if (hasCode(error.cause, "YAML_LIMIT") && !/maxDepth/.test(error.message))
      throw budget.exceeded("maxValues", file.name);
    throw helm.CHART({
      text: `cannot load values.yaml: ${compat === 3 ? "" : "cannot unmarshal yaml document: "}${error.message}`,
    });
  }
}

function loadSchema(file: ChartFile, { budget }: Loading): string {
  const text = textOf(file);
  if (text.length > budget.limits.maxSchemaLength) throw budget.exceeded("maxSchemaLength", file.name);
  return text;
}

/** The files of one chart, sorted by their role. */
class Parts {
  metadata: Metadata | undefined;
  values: GoMap = new Map();
  schema: string | undefined;
  requirements: readonly Dependency[] = [];
  readonly templates: ChartFile[] = [];
  readonly files: ChartFile[] = [];
  readonly charts = new Map<string, ChartFile[]>();
  readonly warnings: string[] = [];

  add(file: ChartFile, loading: Loading): void {
    switch (file.name) {
      case "Chart.yaml":
      case "Chart.lock":
      case "requirements.lock":
        break;
      case "values.yaml":
        this.values = loadValues(file, loading);
        break;
      case "values.schema.json":
        this.schema = loadSchema(file, loading);
        break;
      case "requirements.yaml":
        this.#requirements(file);
        break;
      default:
        this.#other(file);
    }
  }

  #requirements(file: ChartFile): void {
    this.requirements = parseRequirements(textOf(file));
    if (this.metadata?.apiVersion === "v1") this.files.push(file);
    else
      this.warnings.push(
        'Dependencies are handled in Chart.yaml since apiVersion "v2". We recommend migrating dependencies to Chart.yaml.',
      );
  }

  #other(file: ChartFile): void {
    if (file.name.startsWith("templates/")) this.templates.push(file);
    else if (!file.name.startsWith("charts/") || file.name.endsWith(".prov")) this.files.push(file);
    else {
      const inside = file.name.slice("charts/".length);
      const name = inside.split("/", 1)[0] ?? "";
      const known = this.charts.get(name);
      if (known === undefined) this.charts.set(name, [{ ...file, name: inside }]);
      else known.push({ ...file, name: inside });
    }
  }
}

/** Builds a chart from its files. Throws `HELM_CHART` in helm's words, or `HELM_LIMIT`. */
export function loadFiles(files: readonly ChartFile[], loading: Loading, depth = 0): Chart {
  const parts = new Parts();
  const chartFile = files.findLast(({ name }) => name === "Chart.yaml");
  if (chartFile !== undefined) parts.metadata = withVersion(parseMetadata(textOf(chartFile)));
  for (const file of files) parts.add(file, loading);
  if (parts.metadata === undefined) throw helm.CHART({ text: "Chart.yaml file is missing" });
  const metadata = { ...parts.metadata, dependencies: [...parts.metadata.dependencies, ...parts.requirements] };
  validateMetadata(metadata, loading.compat);
  const { name } = metadata;
  if (depth > loading.budget.limits.maxChartDepth) throw loading.budget.exceeded("maxChartDepth");
  const charts = loadCharts(parts.charts, { name, loading, depth });
  const { templates, values, schema, warnings } = parts;
  return {
    metadata,
    templates,
    files: parts.files,
    values,
    schema,
    charts,
    digest: depth === 0 ? digestOf(files) : "",
    warnings,
  };
}

const withVersion = (metadata: Metadata): Metadata => ({ ...metadata, apiVersion: metadata.apiVersion || "v1" });

interface Parent {
  readonly name: string;
  readonly loading: Loading;
  readonly depth: number;
}

function loadCharts(groups: ReadonlyMap<string, readonly ChartFile[]>, parent: Parent): Chart[] {
  const charts: Chart[] = [];
  for (const name of [...groups.keys()].sort()) {
    if (name.startsWith("_") || name.startsWith(".")) continue;
    charts.push(loadSubchart(name, groups.get(name) ?? [], parent));
  }
  return charts;
}

function loadSubchart(name: string, files: readonly ChartFile[], { name: parentName, loading, depth }: Parent): Chart {
  try {
    const [first] = files;
    if (!name.endsWith(".tgz")) return loadFiles(insideOf(files), loading, depth + 1);
    if (first === undefined || first.name !== name) {
      throw helm.CHART({ text: `expected ${name}, got ${first?.name ?? ""}` });
    }
    return loadFiles(readArchive(first.data, name, loading.budget), loading, depth + 1);
  } catch (error) {
    if (hasCode(error, "HELM_LIMIT")) throw error;
    const text = error instanceof Error ? error.message : String(error);
    throw helm.CHART({ text: `error unpacking subchart ${name} in ${parentName}: ${text}` });
  }
}

/** The files below the folder that names the subchart; a plain file in charts/ has none. */
function insideOf(files: readonly ChartFile[]): ChartFile[] {
  return files.flatMap((file) => {
    const slash = file.name.indexOf("/");
    return slash < 0 ? [] : [{ ...file, name: file.name.slice(slash + 1) }];
  });
}

function digestOf(files: readonly ChartFile[]): string {
  const hash = createHash("sha256");
  for (const { name, data } of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(`${Buffer.byteLength(name)}:${name}${data.length}:`).update(data);
  }
  return hash.digest("hex");
}
