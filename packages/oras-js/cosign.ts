import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { hasCode } from "@kyma-operators/errors";
import type { RegistryClient } from "./client.ts";
import { digestOf } from "./digest.ts";
import { oci } from "./errors.ts";
import type { Descriptor, ImageManifest } from "./manifest.ts";
import type { CallOptions } from "./pull-manifest.ts";
import { formatReference, type Reference, repositoryOf } from "./reference.ts";
import { referrersTag } from "./referrers.ts";

/** What is asked of a registry client to verify an image. */
export type CosignClient = Pick<RegistryClient, "resolve" | "pullManifest" | "pullBlob" | "listReferrers">;

const payloadType = "application/vnd.dev.cosign.simplesigning.v1+json";
const signatureAnnotation = "dev.cosignproject.cosign/signature";
const signatureArtifact = "application/vnd.dev.cosign.artifact.sig.v1+json";
const payloadLimitBytes = 65_536;
const signatureLimit = 50;

type Layer = Descriptor & { readonly annotations?: Readonly<Record<string, string>> };

/** Signatures lie under the tag `sha256-<hex>.sig`, in newer registries among the referrers. */
async function signatureManifests(
  client: CosignClient,
  image: Reference & { digest: string },
  call: CallOptions,
): Promise<readonly ImageManifest[]> {
  const found: ImageManifest[] = [];
  const repository = repositoryOf(image);
  const candidates: Reference[] = [{ ...repository, tag: `${referrersTag(image.digest)}.sig` }];
  const referrers = await client.listReferrers(image, image.digest, { ...call, artifactType: signatureArtifact });
  candidates.push(...referrers.slice(0, signatureLimit).map(({ digest }) => ({ ...repository, digest })));
  for (const candidate of candidates) {
    const manifest = await pullOptional(client, candidate, call);
    if (manifest !== undefined) found.push(manifest);
  }
  return found;
}

async function pullOptional(
  client: CosignClient,
  reference: Reference,
  call: CallOptions,
): Promise<ImageManifest | undefined> {
  try {
    const { manifest } = await client.pullManifest(reference, call);
    return manifest.kind === "manifest" ? manifest : undefined;
  } catch (error) {
    if (hasCode(error, "OCI_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** The digest of the image that a payload speaks of; nothing for anything that is no such payload. */
function signedDigest(payload: Uint8Array): string | undefined {
  try {
    const { critical } = JSON.parse(new TextDecoder().decode(payload)) as {
      critical?: { type?: unknown; image?: Readonly<Record<string, unknown>> };
    };
    const digest =
      critical?.type === "cosign container image signature" ? critical.image?.["docker-manifest-digest"] : undefined;
    return typeof digest === "string" ? digest : undefined;
  } catch {
    return undefined;
  }
}

/** The hash that goes with a key; Ed25519 brings its own. */
function isSigned(payload: Uint8Array, signature: string, key: KeyObject): boolean {
  const bytes = Buffer.from(signature, "base64");
  try {
    return verify(key.asymmetricKeyType === "ed25519" ? null : "sha256", payload, key, bytes);
  } catch {
    return false; // a signature of another shape than the key's
  }
}

/**
 * Verifies that an image carries a cosign signature made with one of the keys.
 *
 * Key signatures only: no certificates, no transparency log. What is verified is the digest, so the
 * caller must go on with the reference that comes back, not with the tag.
 *
 * @returns the reference with the verified digest
 * @throws OCI_SIGNATURE_INVALID
 */
export async function verifyCosign(
  client: CosignClient,
  reference: Reference,
  keys: readonly (KeyObject | string)[],
  call: CallOptions = {},
): Promise<Reference & { readonly digest: string }> {
  const ref = formatReference(reference);
  const digest = reference.digest ?? (await client.resolve(reference, call)).digest;
  const image = { ...reference, digest };
  const parsed = keys.map((key) => (typeof key === "string" ? createPublicKey(key) : key));
  const manifests = await signatureManifests(client, image, call);
  const layers: readonly Layer[] = manifests.flatMap((manifest) => manifest.layers).slice(0, signatureLimit);
  if (layers.length === 0) throw oci.SIGNATURE_INVALID({ ref, reason: "the image has no cosign signature" });
  for (const layer of layers) {
    const signature = layer.annotations?.[signatureAnnotation];
    if (layer.mediaType !== payloadType || signature === undefined) continue;
    const payload = await client.pullBlob(image, { ...layer, limitBytes: payloadLimitBytes }, call);
    const matches = signedDigest(payload) === digest;
    if (matches && parsed.some((key) => isSigned(payload, signature, key))) return image;
  }
  throw oci.SIGNATURE_INVALID({
    ref,
    reason: `none of ${layers.length} signatures is for ${digest} and made with a known key`,
  });
}

/** The payload that cosign signs for an image, for tools that sign without cosign. */
export function cosignPayload(reference: Reference & { readonly digest: string }): Uint8Array {
  const identity = { "docker-reference": `${reference.host}/${reference.path}` };
  const image = { "docker-manifest-digest": reference.digest };
  return Buffer.from(
    JSON.stringify({ critical: { identity, image, type: "cosign container image signature" }, optional: null }),
  );
}

/** The tag under which cosign looks for the signatures of a digest. */
export function cosignTag(digest: string): string {
  return `${referrersTag(digest)}.sig`;
}

/** A manifest that carries one signature over a payload. */
export function cosignManifest(payload: Uint8Array, signature: Uint8Array, config: Descriptor): Uint8Array {
  const layer = {
    mediaType: payloadType,
    digest: digestOf(payload),
    size: payload.length,
    annotations: { [signatureAnnotation]: Buffer.from(signature).toString("base64") },
  };
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  return Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, config, layers: [layer] }));
}
