import { LRUCache } from "lru-cache";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { digestOf } from "../inventory/digest.ts";
import { isRecord } from "../json.ts";
import type { Content } from "../sources/content.ts";
import type { ResolvedSource } from "../sources/sources.ts";
import type { RenderCache } from "./cache.ts";
import { renderChart } from "./chart.ts";
import { parseObjects } from "./documents.ts";
import { renderKustomization } from "./kustomization.ts";
import type { Capabilities, RenderInput, Rendering } from "./rendering.ts";

/** A rendering with the key that says what it was made of. */
export interface Rendered {
  readonly key: string;
  /** Digest of what the cluster serves; absent where the rendering does not depend on it. */
  readonly capabilities: string | undefined;
  readonly rendering: Rendering;
}

/** Raise it when the same content and inputs begin to render differently. */
const rendererVersion = 1;

/** Renders sources once per content and inputs, not once per Manifest. */
export class Renderer {
  readonly #cache: RenderCache;
  /** What a digest turned out to be; decides whether the cluster is part of the key. */
  readonly #kinds = new LRUCache<string, Content["kind"]>({ max: 10_000 });

  constructor(cache: RenderCache) {
    this.#cache = cache;
  }

  async render(source: ResolvedSource, input: RenderInput, signal: AbortSignal): Promise<Rendered> {
    const kind = this.#kinds.get(source.digest) ?? (await this.#inspect(source, signal));
    const facts =
      kind === "chart" ? { values: await input.values(), capabilities: await input.capabilities() } : undefined;
    const key = keyOf(source, input, facts);
    const rendering = await this.#cache.get(
      key,
      async (inner) => renderContent(await source.load(inner), { source, input, facts }, inner),
      signal,
    );
    return { key, capabilities: facts && digestOf(facts.capabilities), rendering };
  }

  async #inspect(source: ResolvedSource, signal: AbortSignal): Promise<Content["kind"]> {
    const { kind } = await source.load(signal);
    this.#kinds.set(source.digest, kind);
    return kind;
  }
}

/** What only charts look at. */
interface ChartFacts {
  readonly values: Readonly<Record<string, unknown>>;
  readonly capabilities: Capabilities;
}

/** Anything but a chart renders the same for every release and cluster, so the whole fleet shares it. */
function keyOf(source: ResolvedSource, input: RenderInput, facts: ChartFacts | undefined): string {
  const { releaseName, namespace } = input;
  const inputs = facts === undefined ? {} : { releaseName, namespace, ...facts };
  return digestOf({ rendererVersion, digest: source.digest, ...inputs });
}

interface Origin {
  readonly source: ResolvedSource;
  readonly input: RenderInput;
  readonly facts: ChartFacts | undefined;
}

async function renderContent(
  content: Content,
  { source, input, facts }: Origin,
  signal: AbortSignal,
): Promise<Rendering> {
  const { name } = source;
  if (content.kind === "documents") return { objects: parseObjects(content.text, name), hooks: [] };
  if (content.kind === "kustomization") return { objects: renderKustomization(content.files, name), hooks: [] };
  const { releaseName, namespace } = input;
  const { values = {}, capabilities } = facts ?? {};
  return renderChart(content.files, { releaseName, namespace, values, name, capabilities }, signal);
}

/** Values that the Manifest itself carries, beside those of its configuration layer. */
export function inlineValues(manifest: Manifest): Readonly<Record<string, unknown>> {
  const { values } = manifest.spec.install.source;
  return isRecord(values) ? values : {};
}

/** Where objects of a chart go that name no namespace. */
export function releaseNamespace(manifest: Manifest): string {
  const { namespace } = manifest.spec.install.source;
  return typeof namespace === "string" && namespace !== "" ? namespace : "default";
}
