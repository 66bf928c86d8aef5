import { digestOf } from "./digest.ts";
import { oci } from "./errors.ts";
import { type Descriptor, parseManifest } from "./manifest.ts";
import { mediaTypes } from "./media-types.ts";
import type { CallOptions } from "./pull-manifest.ts";
import { formatReference, manifestKey, type Reference, repositoryOf } from "./reference.ts";
import { listWithReferrer, referrersTag } from "./referrers.ts";
import type { Session } from "./session.ts";

export interface PushManifestOptions extends CallOptions {
  readonly mediaType?: string;
}

const deadlineMs = 600_000;

type Answer = Awaited<ReturnType<Session["send"]>>;

function mediaTypeIn(bytes: Uint8Array): string {
  try {
    const own = (JSON.parse(new TextDecoder().decode(bytes)) as { mediaType?: unknown }).mediaType;
    return typeof own === "string" ? own : mediaTypes.ociManifest;
  } catch {
    return mediaTypes.ociManifest;
  }
}

/**
 * Pushes the exact bytes of a manifest under the tag or digest of the reference.
 *
 * A manifest with a `subject` is also entered in the referrers list of a registry that keeps none itself.
 *
 * @throws OCI_MANIFEST_INVALID before anything is sent; OCI_DIGEST_MISMATCH when the registry stored other bytes
 */
export async function pushManifest(
  session: Session,
  reference: Reference,
  bytes: Uint8Array,
  options: PushManifestOptions = {},
): Promise<Descriptor> {
  const ref = formatReference(reference);
  const mediaType = options.mediaType ?? mediaTypeIn(bytes);
  const manifest = parseManifest(bytes, mediaType, ref);
  const digest = digestOf(bytes);
  expectDigest(reference.digest, digest, ref);
  const descriptor: Descriptor = { mediaType, digest, size: bytes.length };

  const answer = await putManifest(session, { ...reference, digest }, { bytes, mediaType, signal: options.signal });
  const stored = answer.headers["docker-content-digest"];
  expectDigest(stored?.startsWith("sha256:") === true ? stored : undefined, digest, ref);
  if (manifest.subject !== undefined && answer.headers["oci-subject"] === undefined) {
    const tag = referrersTag(manifest.subject.digest);
    const list = await listWithReferrer(session, reference, { manifest, descriptor, signal: options.signal });
    await putManifest(
      session,
      { ...repositoryOf(reference), tag },
      { bytes: list, mediaType: mediaTypes.ociIndex, signal: options.signal },
    );
  }
  return descriptor;
}

function expectDigest(want: string | undefined, got: string, ref: string): void {
  if (want !== undefined && want !== got) throw oci.DIGEST_MISMATCH({ ref, want, got });
}

async function putManifest(
  session: Session,
  reference: Reference,
  { bytes, mediaType, signal }: { bytes: Uint8Array; mediaType: string; signal: AbortSignal | undefined },
): Promise<Answer> {
  const answer = await session.send({
    ref: formatReference(reference),
    repository: reference,
    actions: ["pull", "push"],
    method: "PUT",
    url: `${reference.path}/manifests/${reference.tag ?? manifestKey(reference)}`,
    headers: { "content-type": mediaType, "content-length": String(bytes.length) },
    body: () => bytes,
    expect: [201],
    deadlineMs,
    signal,
  });
  await answer.discard();
  return answer;
}

/** Deletes a tag, or the manifest of a digest with all its tags. */
export async function deleteManifest(
  session: Session,
  reference: Reference,
  { signal }: CallOptions = {},
): Promise<void> {
  const answer = await session.send({
    ref: formatReference(reference),
    repository: reference,
    actions: ["pull", "push", "delete"],
    method: "DELETE",
    url: `${reference.path}/manifests/${manifestKey(reference)}`,
    expect: [202],
    deadlineMs,
    signal,
  });
  await answer.discard();
}
