/**
 * Kinds of install sources. A Kyma writes `oci-ref` (one file as a layer) and `oci-dir` (a tar as a layer); charts and
 * kustomizations come from component descriptors that carry them and from Manifests that people write.
 */
export const sourceTypes = ["oci-ref", "oci-dir", "helm-chart", "kustomize"] as const;

export type SourceType = (typeof sourceTypes)[number];

/** Content of a layer of a component version: `<repo>/component-descriptors/<name>@<ref>`. */
export interface LayerSource {
  readonly type: SourceType;
  readonly repo: string;
  readonly name: string;
  /** Digest of the layer; anything else must not be cached. */
  readonly ref: string;
}

/** A chart in a registry (`url` is `oci://…`) or in a chart repository, where `chartName` and `version` are needed. */
export interface ChartSource {
  readonly type: "helm-chart";
  readonly url: string;
  readonly chartName?: string;
  readonly version?: string;
}

/** A kustomization in a git repository, or in a folder of a development machine. */
export interface KustomizationSource {
  readonly type: "kustomize";
  readonly url?: string;
  readonly path?: string;
}

export type InstallSource = LayerSource | ChartSource | KustomizationSource;

/** What is wrong with an install source, naming the field in it, expectation and finding. */
export interface SourceProblem {
  readonly problem: string;
}

/** Reads `spec.install.source`, which the schema leaves open. */
export function parseInstallSource(source: Readonly<Record<string, unknown>>): InstallSource | SourceProblem {
  const type = sourceTypes.find((known) => known === source["type"]);
  if (type === undefined) {
    return { problem: `type is ${JSON.stringify(source["type"])}, expected one of ${sourceTypes.join(", ")}` };
  }
  const conflict = conflictIn(source);
  if (conflict !== undefined) return { problem: conflict };
  if (type === "helm-chart" && source["url"] !== undefined) return parseChart(source);
  if (type === "kustomize" && source["repo"] === undefined) return parseKustomization(source);
  const [repo, name, ref] = texts(source, ["repo", "name", "ref"]);
  if (repo && name && ref) return { type, repo, name, ref };
  return { problem: `type ${type} needs the texts repo, name and ref` };
}

/** A layer and something elsewhere: nobody can tell which of them was meant. */
function conflictIn(source: Readonly<Record<string, unknown>>): string | undefined {
  const given = (names: readonly string[]): string | undefined => names.find((name) => Boolean(source[name]));
  const [layer, elsewhere] = [given(["repo", "ref"]), given(["url", "path", "chartName"])];
  if (layer === undefined || elsewhere === undefined) return undefined;
  return `${elsewhere} and ${layer} are both given, expected either repo, name and ref of a layer or a url or path`;
}

function parseChart(source: Readonly<Record<string, unknown>>): ChartSource | SourceProblem {
  const [url, chartName, version] = texts(source, ["url", "chartName", "version"]);
  if (!url) return { problem: `url is ${JSON.stringify(source["url"])}, expected the address of a chart` };
  if (url.startsWith("oci://")) return { type: "helm-chart", url, ...(version ? { version } : {}) };
  if (chartName && version) return { type: "helm-chart", url, chartName, version };
  return { problem: `type helm-chart needs chartName and version for the chart repository ${url}` };
}

function parseKustomization(source: Readonly<Record<string, unknown>>): KustomizationSource | SourceProblem {
  const [url, path] = texts(source, ["url", "path"]);
  if (path) return { type: "kustomize", path };
  if (url) return { type: "kustomize", url };
  return { problem: `type kustomize needs a path or a url` };
}

/** The fields as texts; undefined for whatever is no text. */
function texts(source: Readonly<Record<string, unknown>>, fields: readonly string[]): (string | undefined)[] {
  return fields.map((name) => (typeof source[name] === "string" ? source[name] : undefined));
}
