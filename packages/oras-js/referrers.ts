import { hasCode } from "@kyma-operators/errors";
import type { Descriptor, Manifest } from "./manifest.ts";
import { parseManifest } from "./manifest.ts";
import { mediaTypes } from "./media-types.ts";
import { collectPages } from "./pages.ts";
import { type CallOptions, pullManifest } from "./pull-manifest.ts";
import { formatRepository, type Repository, repositoryOf } from "./reference.ts";
import type { Session } from "./session.ts";

export interface ReferrersOptions extends CallOptions {
  /** Only referrers of this artifact type. */
  readonly artifactType?: string;
}

const deadlineMs = 60_000;

/** The tag under which registries without a referrers API keep the list: `sha256-<hex>`. */
export function referrersTag(digest: string): string {
  return digest.replace(":", "-");
}

async function fromTag(
  session: Session,
  repository: Repository,
  digest: string,
  options: CallOptions,
): Promise<readonly Descriptor[]> {
  try {
    const { manifest } = await pullManifest(
      session,
      { ...repositoryOf(repository), tag: referrersTag(digest) },
      options,
    );
    return manifest.kind === "index" ? manifest.manifests : [];
  } catch (error) {
    if (hasCode(error, "OCI_NOT_FOUND")) return [];
    throw error;
  }
}

/** Lists the manifests whose `subject` is this digest: signatures, attestations, attachments. */
export async function listReferrers(
  session: Session,
  repository: Repository,
  digest: string,
  options: ReferrersOptions = {},
): Promise<readonly Descriptor[]> {
  const { artifactType, signal } = options;
  const ref = `${formatRepository(repository)}@${digest} (referrers)`;
  const query = artifactType === undefined ? "" : `?${new URLSearchParams({ artifactType }).toString()}`;
  const pages = await collectPages(session, {
    call: { ref, repository, actions: ["pull"], deadlineMs, signal, expect: [200, 404] },
    url: `${repository.path}/referrers/${digest}${query}`,
    // 404 is how registries say that they have no referrers API
    parse: (bytes) => {
      const page = parseManifest(bytes, mediaTypes.ociIndex, ref);
      return page.kind === "index" ? page.manifests : [];
    },
  });
  const all = pages ?? (await fromTag(session, repository, digest, signal === undefined ? {} : { signal }));
  return artifactType === undefined ? all : all.filter((entry) => entry.artifactType === artifactType);
}

/** The list of a subject's referrers, as the bytes of an index, with a pushed manifest entered. */
export async function listWithReferrer(
  session: Session,
  repository: Repository,
  { manifest, descriptor, signal }: { manifest: Manifest; descriptor: Descriptor; signal: AbortSignal | undefined },
): Promise<Uint8Array> {
  const subject = manifest.subject?.digest ?? "";
  const listed = await fromTag(session, repository, subject, signal === undefined ? {} : { signal });
  const artifactType = manifest.artifactType ?? (manifest.kind === "manifest" ? manifest.config?.mediaType : undefined);
  const entry: Descriptor = {
    ...descriptor,
    ...(artifactType === undefined ? {} : { artifactType }),
    ...(Object.keys(manifest.annotations).length > 0 ? { annotations: manifest.annotations } : {}),
  };
  const manifests = [...listed.filter(({ digest }) => digest !== descriptor.digest), entry];
  return Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.ociIndex, manifests }));
}
