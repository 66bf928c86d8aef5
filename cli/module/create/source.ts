import { isAbsolute, join } from "node:path";
import { textOf } from "@kyma-operators/errors";
import { build, treeOf } from "@kyma-operators/kustomize";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import { loadChart, render } from "helm-ts-lite";
import type { Io } from "../../io.ts";
import { download, isUrl } from "../../system-download.ts";
import type { ModuleConfig, ModuleSource } from "./config.ts";
import { shortNameOf } from "./config.ts";
import { createErrors } from "./errors.ts";
import { packFolder, readFolder } from "./source-files.ts";

/** One resource of the component with its bytes. */
export interface Layer {
  readonly name: string;
  readonly type: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** What a module installs: its layer, and the documents in it as far as they can be known without a cluster. */
export interface LoadedSource {
  readonly layer: Layer;
  readonly documents: readonly unknown[];
}

/** Where paths of a config begin. */
export interface Place {
  readonly io: Io;
  /** Folder of the config. */
  readonly folder: string;
}

export function pathIn({ folder }: Place, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

/** A file of the config, from disk or from a URL. Throws `CREATE_SOURCE_INVALID` and the codes of a download. */
export async function readPlace(place: Place, field: string, at: string): Promise<Uint8Array> {
  if (isUrl(at)) return download(at, place.io.signal);
  const path = pathIn(place, at);
  const kind = await place.io.files.kind(path);
  if (kind === "file") return place.io.files.read(path);
  const problem = kind === undefined ? "no such file" : `is a ${kind}, expected a file`;
  throw createErrors.SOURCE_INVALID({ field, source: path, problem });
}

/** The documents of a YAML text; `---` inside a text is none. Throws the codes of YAML. */
export function documentsIn(content: Uint8Array, name: string): readonly unknown[] {
  return parseYamlDocuments(new TextDecoder().decode(content), { name }).filter((document) => document !== null);
}

/** Reads, checks and packs what the module installs. Throws `CREATE_SOURCE_INVALID` and the codes of YAML. */
export async function loadSource(place: Place, config: ModuleConfig): Promise<LoadedSource> {
  return loaders[config.source.kind](place, config);
}

const loaders: Readonly<Record<ModuleSource["kind"], (place: Place, config: ModuleConfig) => Promise<LoadedSource>>> = {
  manifest: loadManifest,
  chart: loadChartSource,
  kustomize: loadKustomization,
};

async function loadManifest(place: Place, { source }: ModuleConfig): Promise<LoadedSource> {
  const content = await readPlace(place, "manifest", source.place);
  const documents = documentsIn(content, source.place);
  if (documents.length === 0) {
    throw createErrors.SOURCE_INVALID({ field: "manifest", source: source.place, problem: "holds no object" });
  }
  return { layer: { name: "raw-manifest", type: "yaml", mediaType: "application/octet-stream", content }, documents };
}

async function loadChartSource(place: Place, { source, name, namespace }: ModuleConfig): Promise<LoadedSource> {
  const content = await chartArchive(place, source.place);
  const release = { name: shortNameOf(name), namespace };
  const documents = await attempt("chart", source.place, async () => {
    const rendered = await render(loadChart(content, { name: source.place }), {
      release,
      now: () => place.io.clock.now(),
      signal: place.io.signal,
    });
    const texts = [...rendered.crds, ...rendered.documents].map(({ text }) => text);
    return texts.flatMap((text) => documentsIn(Buffer.from(text), source.place));
  });
  const mediaType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
  return { layer: { name: release.name, type: "helmChart", mediaType, content }, documents };
}

async function chartArchive(place: Place, at: string): Promise<Uint8Array> {
  if (isUrl(at)) return download(at, place.io.signal);
  const path = pathIn(place, at);
  if ((await place.io.files.kind(path)) !== "directory") return readPlace(place, "chart", at);
  const files = await readFolder(place.io, path, "chart");
  return packFolder(files, "chart");
}

async function loadKustomization(place: Place, { source }: ModuleConfig): Promise<LoadedSource> {
  const path = pathIn(place, source.place);
  if ((await place.io.files.kind(path)) !== "directory") {
    throw createErrors.SOURCE_INVALID({ field: "kustomize", source: path, problem: "expected a folder" });
  }
  const files = await readFolder(place.io, path, "kustomize");
  const documents = await attempt("kustomize", source.place, async () => build(treeOf(files), "/"));
  const layer = { name: "kustomize", type: "directoryTree", mediaType: "application/x-tgz" };
  return { layer: { ...layer, content: packFolder(files, "") }, documents };
}

/** A chart or kustomization that cannot be rendered here cannot be installed anywhere. */
async function attempt<T>(field: string, source: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw createErrors.SOURCE_INVALID({ field, source, problem: textOf(error) }, error);
  }
}
