import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import { oci } from "./errors.ts";

/** Limits of an archive; it is refused as a whole when one of them is passed. */
export interface ArchiveLimits {
  /** Unpacked bytes of all entries. Default 64 MiB. */
  readonly totalBytes?: number;
  /** Unpacked bytes of one entry. Default 16 MiB. */
  readonly entryBytes?: number;
  /** Default 10,000. */
  readonly entries?: number;
  /** Characters of a path. Default 255. */
  readonly pathLength?: number;
  /** Unpacked bytes per packed byte, counted from the first MiB on. Default 200. */
  readonly ratio?: number;
}

export interface ArchiveOptions extends ArchiveLimits {
  /** Names the archive in error texts. Default `archive`. */
  readonly name?: string;
  /** Cuts a leading slash off instead of refusing the entry. Default false. */
  readonly stripLeadingSlash?: boolean;
  readonly signal?: AbortSignal;
}

type Limits = Required<ArchiveLimits>;

const defaults: Limits = {
  totalBytes: 67_108_864,
  entryBytes: 16_777_216,
  entries: 10_000,
  pathLength: 255,
  ratio: 200,
};

const ratioFromBytes = 1_048_576;

/** Control characters, which no file name of ours needs and terminals obey. */
const control = /\p{Cc}/u;

/** The name of an entry as a relative path with forward slashes, or the reason to refuse it. */
export function safeEntryName(raw: string, stripLeadingSlash: boolean): { name: string } | { refused: string } {
  const path = raw.replaceAll("\\", "/");
  if (control.test(path)) return { refused: "its name holds control characters" };
  if (/^[A-Za-z]:/.test(path)) return { refused: "its name begins with a drive letter" };
  if (path.startsWith("/") && !stripLeadingSlash) return { refused: "its name is absolute" };
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) return { refused: "its name leads out of the archive" };
  return { name: segments.join("/") };
}

const ignored = new Set(["Directory", "GNUDumpDir"]);
const files = new Set(["File", "OldFile", "ContiguousFile"]);

/** Takes entries in, and stops at the first one that breaks a rule. */
class Collector {
  readonly files = new Map<string, Uint8Array>();
  readonly #archive: string;
  readonly #limits: Limits;
  readonly #stripLeadingSlash: boolean;
  #entries = 0;
  #bytes = 0;
  #failure: Error | undefined;

  constructor(options: ArchiveOptions) {
    this.#archive = options.name ?? "archive";
    this.#limits = { ...defaults, ...definedLimits(options) };
    this.#stripLeadingSlash = options.stripLeadingSlash ?? false;
  }

  /** The tar parser calls back and cannot be thrown through; the failure waits here for the next look. */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  fail(error: Error): void {
    this.#failure ??= error;
  }

  invalid(reason: string): void {
    this.fail(oci.ARCHIVE_INVALID({ archive: this.#archive, reason }));
  }

  add(entry: ReadEntry): void {
    const name = this.#admit(entry);
    if (name === undefined) {
      entry.resume();
      return;
    }
    const content = Buffer.alloc(entry.size);
    let at = 0;
    entry.on("data", (chunk: Buffer) => {
      at += chunk.copy(content, at);
    });
    entry.on("end", () => this.files.set(name, content));
  }

  #admit(entry: ReadEntry): string | undefined {
    this.#entries += 1;
    const safe = safeEntryName(entry.path, this.#stripLeadingSlash);
    if ("refused" in safe) return this.#refuse(entry, safe.refused);
    if (ignored.has(entry.type)) return this.#checkLimits(0, safe.name);
    if (!files.has(entry.type))
      return this.#refuse(entry, `${entry.type} entries are not allowed, only files and directories`);
    if (safe.name === "") return this.#refuse(entry, "it has no name");
    if (this.files.has(safe.name)) return this.#refuse(entry, "it stands in the archive twice");
    this.#checkLimits(entry.size, safe.name);
    return this.#failure === undefined ? safe.name : undefined;
  }

  #refuse(entry: ReadEntry, reason: string): undefined {
    this.fail(oci.ARCHIVE_ENTRY_REFUSED({ archive: this.#archive, entry: entry.path.slice(0, 100), reason }));
  }

  #checkLimits(sizeBytes: number, name: string): undefined {
    this.#bytes += sizeBytes;
    const exceeded = (limit: keyof Limits): void =>
      this.fail(oci.ARCHIVE_LIMIT({ archive: this.#archive, limit, value: this.#limits[limit] }));
    if (this.#entries > this.#limits.entries) exceeded("entries");
    if (name.length > this.#limits.pathLength) exceeded("pathLength");
    if (sizeBytes > this.#limits.entryBytes) exceeded("entryBytes");
    if (this.#bytes > this.#limits.totalBytes) exceeded("totalBytes");
  }

  checkRatio(packedBytes: number, unpackedBytes: number): void {
    // Headers and padding count as well, so that an archive of nothing but headers ends too.
    const overhead = this.#limits.entries * 2_048;
    if (unpackedBytes > this.#limits.totalBytes + overhead) {
      this.fail(oci.ARCHIVE_LIMIT({ archive: this.#archive, limit: "totalBytes", value: this.#limits.totalBytes }));
    }
    if (unpackedBytes > ratioFromBytes && unpackedBytes > packedBytes * this.#limits.ratio) {
      this.fail(oci.ARCHIVE_LIMIT({ archive: this.#archive, limit: "ratio", value: this.#limits.ratio }));
    }
  }
}

function definedLimits(options: ArchiveOptions): ArchiveLimits {
  const { totalBytes, entryBytes, entries, pathLength, ratio } = options;
  const limits = { totalBytes, entryBytes, entries, pathLength, ratio };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** Bytes in pieces that let the limits act early. */
async function* pieces(source: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (!(source instanceof Uint8Array)) yield* source;
  else for (let at = 0; at < source.length; at += 65_536) yield source.subarray(at, at + 65_536);
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** At least two bytes in the first chunk, so that {@link isGzip} can tell. */
async function firstChunk(source: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  let first: Uint8Array = new Uint8Array();
  while (first.length < 2) {
    const next = await source.next();
    if (next.done === true) break;
    first = Buffer.concat([first, next.value]);
  }
  return first;
}

async function* prepend(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/** Unpacks gzip when the first two bytes say so. */
async function* unpacked(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const first = await firstChunk(source);
  const whole = prepend(first, source);
  if (!isGzip(first)) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip();
  // errors of both streams reach the reader of the second one
  pipeline(Readable.from(whole, { objectMode: false }), gunzip, () => undefined);
  yield* gunzip as AsyncIterable<Buffer>;
}

/** The errors of zlib are about the archive; all others are the source's own. */
function asArchiveError(error: unknown, archive: string): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  const fromZlib = typeof code === "string" && (code.startsWith("Z_") || code === "ERR_BUFFER_TOO_LARGE");
  return fromZlib ? oci.ARCHIVE_INVALID({ archive, reason: "the gzip stream is damaged or cut off" }) : error;
}

/**
 * Reads a tar archive, gzipped or not, into memory: relative path → content, in the archive's order.
 *
 * Nothing is written to disk. Only regular files are kept; links, devices, absolute names, names with
 * `..`, and names that stand there twice refuse the whole archive. A stream is read once and never held
 * as a whole.
 *
 * @throws OCI_ARCHIVE_INVALID, OCI_ARCHIVE_LIMIT, OCI_ARCHIVE_ENTRY_REFUSED, and errors of the source
 */
export async function readTarGz(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  options: ArchiveOptions = {},
): Promise<Map<string, Uint8Array>> {
  const collector = new Collector(options);
  const parser = new Parser({
    zstd: false,
    onReadEntry: (entry) => collector.add(entry),
    onwarn: (code, message) => {
      if (code !== "TAR_ENTRY_INFO") collector.invalid(String(message).slice(0, 200));
    },
  });
  parser.on("error", (error: Error) => collector.invalid(error.message));
  parser.on("ignoredEntry", () => collector.invalid("an extended header is larger than 1 MiB"));

  let packedBytes = 0;
  let unpackedBytes = 0;
  const counted = (async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of pieces(source)) {
      options.signal?.throwIfAborted();
      packedBytes += chunk.length;
      yield chunk;
    }
  })();
  try {
    for await (const chunk of unpacked(counted)) {
      // The parser would unpack what is still gzip, beyond our limits.
      if (unpackedBytes === 0 && isGzip(chunk)) collector.invalid("it is compressed twice");
      unpackedBytes += chunk.length;
      collector.checkRatio(packedBytes, unpackedBytes);
      collector.throwIfFailed();
      parser.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      collector.throwIfFailed();
    }
  } catch (error) {
    throw asArchiveError(error, options.name ?? "archive");
  }
  parser.end();
  collector.throwIfFailed();
  return collector.files;
}
