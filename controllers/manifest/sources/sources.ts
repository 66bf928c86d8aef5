import { textOf } from "@kyma-operators/errors";
import { selectVersion } from "helm-ts-lite";
import {
  type ContentStore,
  type CredentialSource,
  isDigest,
  joinRepository,
  mediaTypes,
  parseReference,
  parseRepository,
  type Reference,
  type RegistryClient,
  type Repository,
} from "oras-js";
import {
  type ChartSource,
  type InstallSource,
  type KustomizationSource,
  type LayerSource,
  parseInstallSource,
} from "../../../apis/operator/install-source.ts";
import { type Manifest, type ManifestSpec, ownedBy } from "../../../apis/operator/manifest.ts";
import { manifestErrors } from "../errors.ts";
import { type ChartRepository, digestOfBytes } from "./chart-repository.ts";
import { type Content, readContent } from "./content.ts";
import type { Credentials } from "./credentials.ts";

/** A source whose content is fixed by a digest. */
export interface ResolvedSource {
  /** Digest of the layer. */
  readonly digest: string;
  /** For people: the layer in its registry. */
  readonly name: string;
  /** What `sync-oci-ref` says of it. */
  readonly ref: string;
  /** Reads the content; the bytes have been verified against the digest. */
  readonly load: (signal: AbortSignal) => Promise<Content>;
}

export interface SourcesOptions {
  /** Makes a registry client that uses these credentials; clients of equal credentials may be shared. */
  readonly registryFor: (credentials: CredentialSource) => RegistryClient;
  readonly credentials: Credentials;
  readonly store: ContentStore;
  readonly repository: ChartRepository;
}

const componentFolder = "component-descriptors";
const textLimitBytes = 1024 * 1024;

/** Finds what a Manifest's `spec.install.source` stands for. */
export class Sources {
  readonly #options: SourcesOptions;

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /** Throws `MANIFEST_SOURCE_INVALID` with the field, or an `OCI_…` error. */
  async resolve(manifest: Manifest, signal: AbortSignal): Promise<ResolvedSource> {
    const source = sourceOf(manifest);
    if (isKustomization(source)) {
      throw invalid(
        "a kustomization must come as a layer of a component (repo, name, ref); folders and git repositories are not read",
      );
    }
    if (isChart(source) && !source.url.startsWith("oci://")) return this.#repositoryChart(source, signal);
    const registry = await this.#registryFor(manifest, signal);
    if (isChart(source)) return this.#registryChart(registry, source, signal);
    return this.#layer(registry, source);
  }

  /** A small text that lies beside the layer, for example its migrations. */
  async text(manifest: Manifest, field: string, digest: string, signal: AbortSignal): Promise<string> {
    const source = sourceOf(manifest);
    if (!isLayer(source)) throw invalid(`${field} needs a source with repo, name and ref`);
    if (!isDigest(digest)) throw invalid(`${field} is ${JSON.stringify(digest)}, expected the digest of a layer`);
    const layer = this.#blob(await this.#registryFor(manifest, signal), repositoryOf(source), digest);
    const content = await layer.load(signal);
    if (content.kind === "documents" && content.text.length <= textLimitBytes) return content.text;
    throw manifestErrors.CONTENT_INVALID({
      source: layer.name,
      problem: `expected one text of at most ${textLimitBytes} bytes`,
    });
  }

  async #registryFor(manifest: Manifest, signal: AbortSignal): Promise<RegistryClient> {
    return this.#options.registryFor(await this.#options.credentials.for(manifest, signal));
  }

  #layer(registry: RegistryClient, source: LayerSource): ResolvedSource {
    if (!isDigest(source.ref)) throw invalid(`ref is ${JSON.stringify(source.ref)}, expected the digest of a layer`);
    return this.#blob(registry, repositoryOf(source), source.ref);
  }

  async #registryChart(registry: RegistryClient, source: ChartSource, signal: AbortSignal): Promise<ResolvedSource> {
    const reference = await this.#chartReference(registry, source, signal);
    const { manifest } = await registry.pullManifest(reference, { signal });
    const layer = "layers" in manifest ? manifest.layers.find(isChartLayer) : undefined;
    if (layer === undefined) {
      throw invalid(`${source.url} is an artifact without a layer of type ${mediaTypes.helmChart}`);
    }
    return this.#blob(registry, reference, layer.digest);
  }

  /** The reference with a tag: the one it has, or the highest that fits the version range. */
  async #chartReference(
    registry: RegistryClient,
    { url, version }: ChartSource,
    signal: AbortSignal,
  ): Promise<Reference> {
    const reference = parsed(() => parseReference(url));
    if (reference.tag !== undefined || reference.digest !== undefined) return reference;
    if (version === undefined) throw invalid(`${url} needs a version, a tag or a digest`);
    // A tag can't hold `+`; Helm writes `_` instead.
    const tags = (await registry.listTags(reference, { signal })).map((tag) => tag.replaceAll("_", "+"));
    const chosen = selectVersion(version, tags);
    if (chosen === undefined)
      throw invalid(`${url} has no version that fits ${version}; it has: ${tags.slice(0, 10).join(", ") || "none"}`);
    return { ...reference, tag: chosen.replaceAll("+", "_") };
  }

  async #repositoryChart(source: ChartSource, signal: AbortSignal): Promise<ResolvedSource> {
    const { repository, store } = this.#options;
    const chart = await repository.find(source, signal);
    const name = `${source.url} ${source.chartName ?? ""} ${chart.version}`;
    const downloaded = chart.digest === undefined ? await repository.download(chart, signal) : undefined;
    const digest = chart.digest ?? digestOfBytes(downloaded ?? new Uint8Array());
    const origin = async function* (inner: AbortSignal): AsyncGenerator<Uint8Array> {
      yield downloaded ?? (await repository.download(chart, inner));
    };
    const load = async (inner: AbortSignal): Promise<Content> =>
      readContent(await store.get({ digest }, origin, inner), name, inner);
    return { digest, name, ref: digest, load };
  }

  #blob(registry: RegistryClient, repository: Repository, digest: string): ResolvedSource {
    const { host, path } = repository;
    const name = `${host}/${path}@${digest}`;
    const load = async (signal: AbortSignal): Promise<Content> => {
      const origin = (inner: AbortSignal) => registry.openBlob(repository, { digest }, { signal: inner });
      return readContent(await this.#options.store.get({ digest }, origin, signal), name, signal);
    };
    return { digest, name, ref: digest, load };
  }
}

/** The source of a Manifest. Throws `MANIFEST_SOURCE_INVALID` with the field at fault. */
export function sourceOf(manifest: Manifest): InstallSource {
  // The schema asks for no spec.
  const { install }: Partial<ManifestSpec> = manifest.spec;
  if (install === undefined) {
    const problem = `Manifest ${ownedBy(manifest)} has none; expected the name of the installation and its source`;
    throw manifestErrors.SOURCE_INVALID({ field: "spec.install", problem });
  }
  const source = parseInstallSource(install.source);
  if ("problem" in source)
    throw manifestErrors.SOURCE_INVALID({ field: "spec.install.source", problem: source.problem });
  return source;
}

/**
 * The repository of a component's layers: `<repo>/component-descriptors/<name>`. Sources of old Manifests carry the
 * folder in `repo` already.
 */
export function repositoryOf(source: Pick<LayerSource, "repo" | "name">): Repository {
  const base = parsed(() => parseRepository(`${source.repo.replace(/\/+$/, "")}/${componentFolder}`));
  const path = base.path.replace(new RegExp(`(^|/)${componentFolder}/${componentFolder}$`), `$1${componentFolder}`);
  return parsed(() => joinRepository({ ...base, path }, source.name));
}

function isLayer(source: InstallSource): source is LayerSource {
  return "repo" in source;
}

function isChart(source: LayerSource | ChartSource): source is ChartSource {
  return !isLayer(source);
}

function isKustomization(source: InstallSource): source is KustomizationSource {
  return source.type === "kustomize" && !isLayer(source);
}

function isChartLayer(layer: { readonly mediaType: string }): boolean {
  return layer.mediaType === mediaTypes.helmChart;
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw invalid(textOf(error));
  }
}

function invalid(problem: string): Error {
  return manifestErrors.SOURCE_INVALID({ field: "spec.install.source", problem });
}
