import { equal } from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";

/** A registry and the repository in it that a run may fill. */
export interface Endpoint {
  readonly url: string;
  readonly repository: string;
}

/** What {@link call} sends. */
export interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export const ociManifest = "application/vnd.oci.image.manifest.v1+json";
export const ociIndex = "application/vnd.oci.image.index.v1+json";
export const digestOf = (bytes: Uint8Array): string => `sha256:${hash("sha256", bytes, "hex")}`;

export function call({ url, repository }: Endpoint, path: string, request: Request = {}): Promise<Response> {
  const target =
    path.startsWith("/") || path.startsWith("http") ? new URL(path, url) : `${url}/v2/${repository}/${path}`;
  return fetch(target, {
    ...request,
    body: request.body === undefined ? null : Buffer.from(request.body),
    redirect: "manual",
  });
}

export async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

export async function begin(at: Endpoint): Promise<string> {
  const response = await call(at, "blobs/uploads/", { method: "POST", headers: { "content-length": "0" } });
  equal(response.status, 202);
  return response.headers.get("location") ?? "";
}

export function withDigest(location: string, digest: string): string {
  return `${location}${location.includes("?") ? "&" : "?"}digest=${encodeURIComponent(digest)}`;
}

export const octets = { "content-type": "application/octet-stream" };

export async function pushBlob(at: Endpoint, content: Uint8Array): Promise<string> {
  const digest = digestOf(content);
  const response = await call(at, withDigest(await begin(at), digest), {
    method: "PUT",
    headers: octets,
    body: content,
  });
  equal(response.status, 201);
  return digest;
}

export function descriptor(content: Uint8Array, mediaType: string): object {
  return { mediaType, digest: digestOf(content), size: content.length };
}

export async function pushImage(
  at: Endpoint,
  reference: string,
  more: object = {},
): Promise<{ bytes: Buffer; digest: string; response: Response }> {
  const config = Buffer.from("{}");
  const layer = randomBytes(64);
  await pushBlob(at, config);
  await pushBlob(at, layer);
  const document = {
    schemaVersion: 2,
    mediaType: ociManifest,
    config: descriptor(config, "application/vnd.oci.empty.v1+json"),
    layers: [descriptor(layer, "application/octet-stream")],
    ...more,
  };
  const bytes = Buffer.from(JSON.stringify(document));
  const digest = digestOf(bytes);
  const path = `manifests/${reference === "" ? digest : reference}`;
  const response = await call(at, path, { method: "PUT", headers: { "content-type": ociManifest }, body: bytes });
  return { bytes, digest, response };
}

export async function errorCode(response: Response): Promise<string> {
  const { errors } = (await response.json()) as { errors: readonly { code: string }[] };
  return errors[0]?.code ?? "";
}

/** Pushes one image under several tags, in this order. */
export async function pushTags(at: Endpoint, names: readonly string[]): Promise<void> {
  const { bytes } = await pushImage(at, "");
  for (const name of names) {
    const request = { method: "PUT", headers: { "content-type": ociManifest }, body: bytes };
    equal((await call(at, `manifests/${name}`, request)).status, 201);
  }
}

export async function tags(at: Endpoint, query = ""): Promise<{ list: readonly string[]; link: string }> {
  const response = await call(at, `tags/list${query}`);
  equal(response.status, 200);
  return { list: ((await response.json()) as { tags: string[] }).tags, link: response.headers.get("link") ?? "" };
}
