import { textOf } from "@kyma-operators/errors";
import {
  type ContentStore,
  type CredentialSource,
  isDigest,
  joinRepository,
  mediaTypes,
  parseReference,
  parseRepository,
  type RegistryClient,
  type Repository,
} from "oras-js";
import {
  type ChartSource,
  type InstallSource,
  type LayerSource,
  parseInstallSource,
} from "../../apis/operator/install-source.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import { type Content, readContent } from "./content.ts";
import type { Credentials } from "./credentials.ts";
import { manifestErrors } from "./errors.ts";

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
}

const componentFolder = "component-descriptors";

/** Finds what a Manifest's `spec.install.source` stands for. */
export class Sources {
  readonly #options: SourcesOptions;

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /** Throws `MANIFEST_SOURCE_INVALID` with the field, or an `OCI_…` error. */
  async resolve(manifest: Manifest, signal: AbortSignal): Promise<ResolvedSource> {
    const source = sourceOf(manifest);
    const registry = this.#options.registryFor(await this.#options.credentials.for(manifest, signal));
    if (isLayer(source)) return this.#layer(registry, source);
    if (isChart(source)) return this.#chart(registry, source, signal);
    throw invalid(
      "a kustomization must come as a layer of a component (repo, name, ref); folders and git repositories are not read",
    );
  }

  #layer(registry: RegistryClient, source: LayerSource): ResolvedSource {
    if (!isDigest(source.ref)) throw invalid(`ref is ${JSON.stringify(source.ref)}, expected the digest of a layer`);
    return this.#blob(registry, repositoryOf(source), source.ref);
  }

  async #chart(registry: RegistryClient, source: ChartSource, signal: AbortSignal): Promise<ResolvedSource> {
    const reference = parsed(() => parseReference(`${source.url}${versionSuffix(source)}`));
    const { manifest } = await registry.pullManifest(reference, { signal });
    const layer = "layers" in manifest ? manifest.layers.find(isChartLayer) : undefined;
    if (layer === undefined)
      throw invalid(`${source.url} is an artifact without a layer of type ${mediaTypes.helmChart}`);
    return this.#blob(registry, reference, layer.digest);
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
  const source = parseInstallSource(manifest.spec.install.source);
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

function isChart(source: InstallSource): source is ChartSource {
  return source.type === "helm-chart";
}

function isChartLayer(layer: { readonly mediaType: string }): boolean {
  return layer.mediaType === mediaTypes.helmChart;
}

function versionSuffix(source: ChartSource): string {
  // A tag can't hold `+`; Helm writes `_` instead.
  return source.version === undefined ? "" : `:${source.version.replaceAll("+", "_")}`;
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
