import { createHash } from "node:crypto";
import { textOf } from "@kyma-operators/errors";
import { parseYaml } from "@kyma-operators/yaml";
import { selectVersion } from "helm-ts-lite";
import type { Transport } from "oras-js";
import type { ChartSource } from "../../../apis/operator/install-source.ts";
import { manifestErrors } from "../errors.ts";
import { isRecord } from "../json.ts";

const indexLimitBytes = 32 * 1024 * 1024;
const archiveLimitBytes = 20 * 1024 * 1024;

/** A chart archive that a repository's index names. */
export interface IndexedChart {
  readonly version: string;
  readonly url: URL;
  /** `sha256:…`, when the index says it. */
  readonly digest: string | undefined;
}

/** Reads chart repositories over HTTPS. Nothing is kept: what a digest names is kept by the content store. */
export class ChartRepository {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The highest version of a chart that fits the source's range. Throws `MANIFEST_SOURCE_INVALID`. */
  async find(source: ChartSource, signal: AbortSignal): Promise<IndexedChart> {
    const base = repositoryUrl(source.url);
    const index = await this.#get(new URL("index.yaml", base), { limitBytes: indexLimitBytes, guarded: false, signal });
    return chosen(entriesOf(index, source), source, base);
  }

  /** The bytes of an archive, verified where the index names a digest. */
  async download(chart: IndexedChart, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = await this.#get(chart.url, { limitBytes: archiveLimitBytes, guarded: true, signal });
    const got = digestOfBytes(bytes);
    if (chart.digest === undefined || chart.digest === got) return bytes;
    const problem = `expected ${chart.digest} as the index says, the server sent ${got}`;
    throw manifestErrors.CONTENT_INVALID({ source: chart.url.href, problem });
  }

  async #get(
    url: URL,
    {
      limitBytes,
      guarded,
      signal,
    }: { readonly limitBytes: number; readonly guarded: boolean; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const fail = (problem: string, cause?: unknown): Error =>
      manifestErrors.SOURCE_UNREACHABLE({ url: `${url.origin}${url.pathname}`, problem }, cause);
    try {
      const response = await this.#transport.send({ method: "GET", url, headers: {}, guarded, signal });
      if (response.status !== 200) {
        await response.discard();
        throw fail(`answered ${response.status}`);
      }
      return await collect(response.body, limitBytes, fail);
    } catch (error) {
      if (signal.aborted || isOurs(error)) throw error;
      throw fail(textOf(error), error);
    }
  }
}

export function digestOfBytes(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function isOurs(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("MANIFEST_");
}

async function collect(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
  fail: (problem: string) => Error,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limitBytes) throw fail(`is larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Only TLS proves that an index is the repository's; on this machine nobody sits in between. */
function repositoryUrl(text: string): URL {
  const url = URL.parse(text.endsWith("/") ? text : `${text}/`);
  const local = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && local)) return url;
  throw invalid(`url is ${JSON.stringify(text)}, expected https:// or oci://`);
}

function entriesOf(bytes: Uint8Array, source: ChartSource): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const index = parseYaml(new TextDecoder().decode(bytes), { name: `${source.url}/index.yaml` });
  const entries = isRecord(index) && isRecord(index["entries"]) ? index["entries"] : {};
  const { chartName = "" } = source;
  const versions = Object.hasOwn(entries, chartName) ? entries[chartName] : undefined;
  const listed = (Array.isArray(versions) ? versions : []).filter(isRecord);
  return new Map(listed.flatMap((entry) => (typeof entry["version"] === "string" ? [[entry["version"], entry]] : [])));
}

function chosen(
  entries: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  { url, chartName = "", version: range = "" }: ChartSource,
  base: URL,
): IndexedChart {
  const version = selectVersion(range, [...entries.keys()]);
  const entry = version === undefined ? undefined : entries.get(version);
  if (version === undefined || entry === undefined) {
    const known = [...entries.keys()].slice(0, 10).join(", ") || "none";
    throw invalid(`${url} has no chart ${chartName} that fits version ${range}; it has: ${known}`);
  }
  const { urls, digest } = entry;
  const [archive]: readonly unknown[] = Array.isArray(urls) ? urls : [];
  if (typeof archive !== "string") throw invalid(`${url}: chart ${chartName} ${version} has no url`);
  const verified = typeof digest === "string" ? withAlgorithm(digest) : undefined;
  return { version, url: new URL(archive, base), digest: verified };
}

function withAlgorithm(digest: string): string {
  return digest.includes(":") ? digest : `sha256:${digest}`;
}

function invalid(problem: string): Error {
  return manifestErrors.SOURCE_INVALID({ field: "spec.install.source", problem });
}
