import { gunzipSync } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import { helm } from "../errors.ts";
import type { ChartBudget } from "./budget.ts";
import type { ChartFile } from "./types.ts";

const bom = Buffer.from([0xef, 0xbb, 0xbf]);

/** A byte order mark at the start of a file is no content. */
export function withoutBom(data: Uint8Array): Uint8Array {
  return data.length >= 3 && bom.equals(data.subarray(0, 3)) ? data.subarray(3) : data;
}

/** Guesses as Go does from the first 512 bytes, which it fills up with zeros. */
function sniff(data: Uint8Array): string {
  const head = data.subarray(0, 512);
  const binary =
    head.length < 512 || head.some((byte) => byte < 9 || byte === 11 || (byte > 13 && byte < 32 && byte !== 27));
  return binary ? "application/octet-stream" : "text/plain; charset=utf-8";
}

const isTooLarge = (error: unknown): boolean =>
  Error.isError(error) && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";

function inflate(data: Uint8Array, name: string, budget: ChartBudget): Buffer {
  if (data[0] !== 0x1f || data[1] !== 0x8b) {
    throw helm.CHART({ text: `file '${name}' does not appear to be a gzipped archive; got '${sniff(data)}'` });
  }
  // Headers and padding come on top of the files themselves.
  const maxOutputLength = budget.bytesLeft + budget.limits.maxFiles * 2_048;
  try {
    return gunzipSync(data, { maxOutputLength });
  } catch (error) {
    if (isTooLarge(error)) throw budget.exceeded("maxChartBytes");
    throw helm.ARCHIVE({ text: `file '${name}' is a damaged archive` });
  }
}

const drive = /^[a-zA-Z]:\//;

/** The path inside the chart: without the first element, whatever that is. Throws for paths that lead out. */
function pathInside(name: string): string {
  const separator = name.includes("\\") ? "\\" : "/";
  const parts = name.split(separator);
  const inside = parts.slice(1).join(separator).replaceAll(separator, "/");
  const clean = cleanPath(inside);
  if (parts[0] === "Chart.yaml") throw helm.ARCHIVE({ text: "chart yaml not in base directory" });
  if (inside.startsWith("/")) throw helm.ARCHIVE({ text: "chart illegally contains absolute paths" });
  if (clean === ".")
    throw helm.ARCHIVE({
      text: `chart illegally contains content outside the base directory: ${JSON.stringify(name)}`,
    });
  if (clean === ".." || clean.startsWith("../"))
    throw helm.ARCHIVE({ text: "chart illegally references parent directory" });
  if (drive.test(clean)) throw helm.ARCHIVE({ text: "chart contains illegally named files" });
  return clean;
}

/** Go's `path.Clean`. */
export function cleanPath(path: string): string {
  const rooted = path.startsWith("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (!rooted) parts.push(part);
  }
  return (rooted ? "/" : "") + parts.join("/") || ".";
}

/** A file in one piece is not copied: the archive lives as long as what was unpacked from it. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
}

/** Collects the entries of an archive in memory; nothing is written anywhere. */
class Collector {
  readonly files: ChartFile[] = [];
  failure: Error | undefined;
  readonly #budget: ChartBudget;

  constructor(budget: ChartBudget) {
    this.#budget = budget;
  }

  entry(entry: ReadEntry): void {
    try {
      this.#entry(entry);
    } catch (error) {
      this.failure ??= error instanceof Error ? error : new Error(String(error));
      entry.resume();
    }
  }

  #entry(entry: ReadEntry): void {
    if (this.failure !== undefined || entry.type === "Directory") {
      entry.resume();
      return;
    }
    const name = pathInside(entry.path);
    this.#budget.file(entry.size, name);
    const chunks: Buffer[] = [];
    entry.on("data", (chunk: Buffer) => chunks.push(chunk));
    entry.on("end", () => this.files.push({ name, data: withoutBom(joined(chunks)) }));
  }
}

/**
 * Reads the files of a packaged chart. Links count as empty files and are never followed.
 *
 * Throws `HELM_CHART` for what is not compressed, `HELM_ARCHIVE` for anything that is no chart archive or leads out of it, `HELM_LIMIT` for bombs.
 */
export function readArchive(data: Uint8Array, name: string, budget: ChartBudget): ChartFile[] {
  const collector = new Collector(budget);
  const parser = new Parser({ onReadEntry: (entry) => collector.entry(entry), strict: false });
  parser.end(inflate(data, name, budget));
  if (collector.failure !== undefined) throw collector.failure;
  if (collector.files.length === 0) throw helm.ARCHIVE({ text: "no files in chart archive" });
  return collector.files;
}
