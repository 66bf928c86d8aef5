import { hash } from "node:crypto";
import { type Descriptor, type Manifest, parseManifest } from "oras-js";
import { type Answer, errors, json } from "./answer.ts";
import { keys, pageOf, type RegistryContext, type RegistryRequest } from "./requests.ts";
import { isDigest, isRepository } from "./routes.ts";

interface At {
  readonly repository: string;
  /** A tag or a digest. */
  readonly reference: string;
}

async function collect(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    if (total > limitBytes) throw errors.sizeInvalid(`manifest is larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function readText({ storage }: RegistryContext, key: string): Promise<string | undefined> {
  const bytes = await storage.read(key);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

async function digestFor(context: RegistryContext, { repository, reference }: At): Promise<string> {
  if (isDigest(reference)) return reference;
  if (reference.includes(":")) throw errors.digestInvalid("expected sha256:<hex> or sha512:<hex>");
  const digest = await readText(context, keys.tag(repository, reference));
  if (digest === undefined) throw errors.manifestUnknown();
  return digest;
}

async function get(context: RegistryContext, request: RegistryRequest, at: At): Promise<Answer> {
  const digest = await digestFor(context, at);
  const mediaType = await readText(context, keys.manifestLink(at.repository, digest));
  const bytes = mediaType === undefined ? undefined : await context.storage.read(keys.blob(digest));
  if (mediaType === undefined || bytes === undefined) throw errors.manifestUnknown();
  const headers = {
    "content-type": mediaType,
    "content-length": String(bytes.length),
    "docker-content-digest": digest,
  };
  return request.method === "HEAD" ? { status: 200, headers } : { status: 200, headers, body: bytes };
}

function parse(bytes: Uint8Array, mediaType: string): Manifest {
  try {
    return parseManifest(bytes, mediaType, "manifest");
  } catch (error) {
    throw errors.manifestInvalid(error instanceof Error ? error.message : "unreadable");
  }
}

/** A manifest must not name content that nobody could pull; an index may be pushed before foreign children. */
async function assertComplete({ storage }: RegistryContext, repository: string, manifest: Manifest): Promise<void> {
  const isIndex = manifest.kind === "index";
  const needed = isIndex ? manifest.manifests : [...(manifest.config ? [manifest.config] : []), ...manifest.layers];
  const keyOf = isIndex ? keys.manifestLink : keys.blobLink;
  for (const { digest, mediaType } of needed) {
    if (mediaType.includes("nondistributable") || mediaType.includes("foreign")) continue;
    if ((await storage.size(keyOf(repository, digest))) === undefined) throw errors.manifestBlobUnknown(digest);
  }
}

function mediaTypeOf(request: RegistryRequest): string {
  return (request.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
}

/** What the referrers list says about a manifest. */
function referrerOf(manifest: Manifest, descriptor: Descriptor): Descriptor {
  const config = manifest.kind === "manifest" ? manifest.config?.mediaType : undefined;
  const artifactType = manifest.artifactType ?? config;
  return {
    ...descriptor,
    ...(artifactType === undefined ? {} : { artifactType }),
    ...(Object.keys(manifest.annotations).length > 0 ? { annotations: manifest.annotations } : {}),
  };
}

async function put(context: RegistryContext, request: RegistryRequest, at: At): Promise<Answer> {
  const { storage, limits } = context;
  const { repository, reference } = at;
  const bytes = await collect(request.body, limits.manifestBytes);
  const mediaType = mediaTypeOf(request);
  const manifest = parse(bytes, mediaType);
  await assertComplete(context, repository, manifest);
  const byDigest = reference.includes(":");
  if (byDigest && !isDigest(reference)) throw errors.digestInvalid("expected sha256:<hex> or sha512:<hex>");
  const algorithm = byDigest ? reference.slice(0, 6) : "sha256";
  const digest = `${algorithm}:${hash(algorithm, bytes, "hex")}`;
  if (byDigest && reference !== digest) throw errors.digestInvalid(`the content has ${digest}`);

  await storage.write(keys.blob(digest), bytes);
  await storage.write(keys.manifestLink(repository, digest), Buffer.from(mediaType));
  if (!byDigest) await storage.write(keys.tag(repository, reference), Buffer.from(digest));
  const headers = { location: `/v2/${repository}/manifests/${digest}`, "docker-content-digest": digest };
  if (manifest.subject === undefined) return { status: 201, headers };
  const entry = referrerOf(manifest, { mediaType, digest, size: bytes.length });
  const subject = manifest.subject.digest;
  await storage.write(keys.referrer(repository, subject, digest), Buffer.from(JSON.stringify(entry)));
  return { status: 201, headers: { ...headers, "oci-subject": subject } };
}

/** Removes a tag; or a manifest with its tags and its entry among the referrers of its subject. */
async function remove(context: RegistryContext, { repository, reference }: At): Promise<Answer> {
  const { storage } = context;
  const digest = await digestFor(context, { repository, reference });
  const mediaType = await readText(context, keys.manifestLink(repository, digest));
  if (mediaType === undefined) throw errors.manifestUnknown();
  if (!isDigest(reference)) {
    await storage.remove(keys.tag(repository, reference));
    return { status: 202 };
  }
  for (const key of await storage.list(keys.tags(repository))) {
    if ((await readText(context, key)) === digest) await storage.remove(key);
  }
  const { subject } = parse((await storage.read(keys.blob(digest))) ?? new Uint8Array(), mediaType);
  if (subject !== undefined) await storage.remove(keys.referrer(repository, subject.digest, digest));
  await storage.remove(keys.manifestLink(repository, digest));
  return { status: 202 };
}

/** `GET`, `HEAD`, `PUT` and `DELETE` of a manifest. */
export async function handleManifest(context: RegistryContext, request: RegistryRequest, at: At): Promise<Answer> {
  if (request.method === "GET" || request.method === "HEAD") return get(context, request, at);
  if (request.method === "PUT") return put(context, request, at);
  if (request.method === "DELETE") return remove(context, at);
  throw errors.unsupported();
}

function nextLink(path: string, query: URLSearchParams, last: string | undefined): Readonly<Record<string, string>> {
  if (last === undefined) return {};
  const next = new URLSearchParams({ n: query.get("n") ?? "", last }).toString();
  return { link: `<${path}?${next}>; rel="next"` };
}

/** The tags of a repository, sorted, in pages of `n`. */
export async function handleTags(
  context: RegistryContext,
  request: RegistryRequest,
  repository: string,
): Promise<Answer> {
  if (request.method !== "GET") throw errors.unsupported();
  const prefix = keys.tags(repository);
  const all = (await context.storage.list(prefix)).map((key) => key.slice(prefix.length));
  if (all.length === 0 && (await context.storage.list(keys.manifests(repository))).length === 0)
    throw errors.nameUnknown();
  const { page, last } = pageOf(all, request.query);
  return json({ name: repository, tags: page }, nextLink(`/v2/${repository}/tags/list`, request.query, last));
}

/** The repositories, sorted, in pages of `n`. */
export async function handleCatalog(context: RegistryContext, request: RegistryRequest): Promise<Answer> {
  if (request.method !== "GET") throw errors.unsupported();
  const found = (await context.storage.list("repositories/")).flatMap((key) => {
    const name = /^repositories\/(.+)\/_manifests\//.exec(key)?.[1];
    return name !== undefined && isRepository(name) ? [name] : [];
  });
  const { page, last } = pageOf([...new Set(found)], request.query);
  return json({ repositories: page }, nextLink("/v2/_catalog", request.query, last));
}

/** An index of the manifests whose subject is this digest; an unknown digest has none. */
export async function handleReferrers(
  context: RegistryContext,
  request: RegistryRequest,
  at: { repository: string; digest: string },
): Promise<Answer> {
  if (request.method !== "GET") throw errors.unsupported();
  if (!isDigest(at.digest)) throw errors.digestInvalid("expected sha256:<hex> or sha512:<hex>");
  const wanted = request.query.get("artifactType");
  const manifests: Descriptor[] = [];
  for (const key of await context.storage.list(keys.referrers(at.repository, at.digest))) {
    const entry = JSON.parse((await readText(context, key)) ?? "{}") as Descriptor;
    if (wanted === null || entry.artifactType === wanted) manifests.push(entry);
  }
  const mediaType = "application/vnd.oci.image.index.v1+json";
  const filters: Readonly<Record<string, string>> = wanted === null ? {} : { "oci-filters-applied": "artifactType" };
  return json({ schemaVersion: 2, mediaType, manifests }, { "content-type": mediaType, ...filters });
}
