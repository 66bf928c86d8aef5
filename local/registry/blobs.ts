import { createHash, randomUUID } from "node:crypto";
import { type Answer, errors } from "./answer.ts";
import { keys, type RegistryContext, type RegistryRequest } from "./requests.ts";
import { isDigest, isRepository } from "./routes.ts";
import type { ByteRange, Storage } from "./storage.ts";

async function sizeOf({ storage }: RegistryContext, repository: string, digest: string): Promise<number> {
  if (!isDigest(digest)) throw errors.digestInvalid("expected sha256:<hex> or sha512:<hex>");
  const linked = await storage.size(keys.blobLink(repository, digest));
  const size = linked === undefined ? undefined : await storage.size(keys.blob(digest));
  if (size === undefined) throw errors.blobUnknown();
  return size;
}

/** `bytes=2-`, `bytes=2-5` or, for the last five, `bytes=-5`. */
function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  const [from, to] = [match?.[1] ?? "", match?.[2] ?? ""];
  if (from !== "") return { first: Number(from), last: to === "" ? size - 1 : Math.min(Number(to), size - 1) };
  return to === "" ? undefined : { first: Math.max(0, size - Number(to)), last: size - 1 };
}

/** A single range in bytes; anything else is answered with the whole content, as HTTP allows. */
function rangeOf(header: string | undefined, size: number): ByteRange | undefined {
  const range = parseRange(header, size);
  if (range !== undefined && range.first > range.last) throw errors.rangeInvalid();
  return range;
}

async function get(
  context: RegistryContext,
  request: RegistryRequest,
  at: { repository: string; digest: string },
): Promise<Answer> {
  const size = await sizeOf(context, at.repository, at.digest);
  const range = request.method === "GET" ? rangeOf(request.headers["range"], size) : undefined;
  const length = range === undefined ? size : range.last - range.first + 1;
  const headers = {
    "content-type": "application/octet-stream",
    "content-length": String(length),
    "docker-content-digest": at.digest,
    "accept-ranges": "bytes",
  };
  if (request.method === "HEAD") return { status: 200, headers };
  const body = context.storage.open(keys.blob(at.digest), range);
  if (range === undefined) return { status: 200, headers, body };
  return { status: 206, headers: { ...headers, "content-range": `bytes ${range.first}-${range.last}/${size}` }, body };
}

/** `GET`, `HEAD` and `DELETE` of a blob. */
export async function handleBlob(
  context: RegistryContext,
  request: RegistryRequest,
  at: { repository: string; digest: string },
): Promise<Answer> {
  if (request.method === "GET" || request.method === "HEAD") return get(context, request, at);
  if (request.method !== "DELETE") throw errors.unsupported();
  await sizeOf(context, at.repository, at.digest);
  await context.storage.remove(keys.blobLink(at.repository, at.digest));
  return { status: 202 };
}

async function* limited(body: AsyncIterable<Uint8Array>, limitBytes: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    if (total > limitBytes) throw errors.sizeInvalid(`blob is larger than ${limitBytes} bytes`);
    yield chunk;
  }
}

async function digestOf(storage: Storage, key: string, algorithm: string): Promise<string> {
  const hash = createHash(algorithm);
  for await (const chunk of storage.open(key)) hash.update(chunk);
  return `${algorithm}:${hash.digest("hex")}`;
}

function created(repository: string, digest: string): Answer {
  return { status: 201, headers: { location: `/v2/${repository}/blobs/${digest}`, "docker-content-digest": digest } };
}

/** Takes an upload in as a blob when its bytes have the digest. */
async function commit(
  { storage }: RegistryContext,
  at: { repository: string; id: string },
  digest: string,
): Promise<Answer> {
  const upload = keys.upload(at.repository, at.id);
  if (!isDigest(digest)) throw errors.digestInvalid("expected ?digest=sha256:<hex> or sha512:<hex>");
  const got = await digestOf(storage, upload, digest.slice(0, 6));
  if (got !== digest) {
    await storage.remove(upload);
    throw errors.digestInvalid(`the content has ${got}`);
  }
  await storage.move(upload, keys.blob(digest));
  await storage.write(keys.blobLink(at.repository, digest), new Uint8Array());
  return created(at.repository, digest);
}

async function mount(
  { storage }: RegistryContext,
  repository: string,
  query: URLSearchParams,
): Promise<Answer | undefined> {
  const digest = query.get("mount");
  const from = query.get("from");
  if (digest === null || from === null || !isDigest(digest) || !isRepository(from)) return undefined;
  if ((await storage.size(keys.blobLink(from, digest))) === undefined) return undefined;
  await storage.write(keys.blobLink(repository, digest), new Uint8Array());
  return created(repository, digest);
}

function progress(status: number, at: { repository: string; id: string }, size: number): Answer {
  const headers = {
    location: `/v2/${at.repository}/blobs/uploads/${at.id}`,
    range: `0-${Math.max(0, size - 1)}`,
    "docker-upload-uuid": at.id,
    "content-length": "0",
  };
  return { status, headers };
}

/** `POST` that begins an upload, mounts a blob, or brings all of a blob. */
export async function handleUploads(
  context: RegistryContext,
  request: RegistryRequest,
  repository: string,
): Promise<Answer> {
  if (request.method !== "POST") throw errors.unsupported();
  const mounted = await mount(context, repository, request.query);
  if (mounted !== undefined) return mounted;
  const at = { repository, id: randomUUID() };
  const digest = request.query.get("digest");
  const key = keys.upload(repository, at.id);
  try {
    await context.storage.append(key, limited(request.body, context.limits.blobBytes));
  } catch (error) {
    await context.storage.remove(key); // nobody knows its name yet, so nobody will go on with it
    throw error;
  }
  return digest === null ? progress(202, at, 0) : commit(context, at, digest);
}

/** The range of a chunk must begin where the upload ends. */
function assertContinues(header: string | undefined, size: number): void {
  if (header === undefined) return;
  const first = /^(?:bytes )?(\d+)-\d+$/.exec(header)?.[1];
  if (first === undefined || Number(first) !== size) throw errors.rangeInvalid();
}

/** `PATCH`, `PUT`, `GET` and `DELETE` of an upload that has begun. */
export async function handleUpload(
  context: RegistryContext,
  request: RegistryRequest,
  at: { repository: string; id: string },
): Promise<Answer> {
  const { storage, limits } = context;
  const key = keys.upload(at.repository, at.id);
  const size = await storage.size(key);
  if (size === undefined) throw errors.blobUploadUnknown();
  if (request.method === "GET") return progress(204, at, size);
  if (request.method === "DELETE") {
    await storage.remove(key);
    return { status: 204 };
  }
  if (request.method !== "PATCH" && request.method !== "PUT") throw errors.unsupported();
  assertContinues(request.headers["content-range"], size);
  await storage.append(key, limited(request.body, limits.blobBytes - size));
  if (request.method === "PUT") return commit(context, at, request.query.get("digest") ?? "");
  return progress(202, at, (await storage.size(key)) ?? size);
}
