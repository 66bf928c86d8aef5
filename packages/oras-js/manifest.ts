import { isDigest } from "./digest.ts";
import { oci } from "./errors.ts";
import { isIndexType, manifestTypes, mediaTypes } from "./media-types.ts";

/** Points at content: what it is, its digest, its size in bytes. Field names as in the OCI image specification. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly platform?: Platform;
}

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

/** An image manifest, or an artifact manifest read as one (its `blobs` are `layers`, it has no `config`). */
export interface ImageManifest {
  readonly kind: "manifest";
  readonly mediaType: string;
  readonly artifactType?: string;
  readonly config?: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly subject?: Descriptor;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A list of manifests, for example one per platform. */
export interface ImageIndex {
  readonly kind: "index";
  readonly mediaType: string;
  readonly artifactType?: string;
  readonly manifests: readonly Descriptor[];
  readonly subject?: Descriptor;
  readonly annotations: Readonly<Record<string, string>>;
}

export type Manifest = ImageManifest | ImageIndex;

type Fields = Readonly<Record<string, unknown>>;

const listLimit = 10_000;

/** Throws the error of the manifest being read. */
type Refuse = (reason: string) => never;

function fieldsOf(value: unknown, where: string, refuse: Refuse): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse(`${where} must be an object`);
  return value as Fields;
}

function annotationsOf(value: unknown, where: string, refuse: Refuse): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  const fields = fieldsOf(value, where, refuse);
  const wrong = Object.keys(fields).find((key) => typeof fields[key] !== "string");
  return wrong === undefined ? (fields as Record<string, string>) : refuse(`${where}[${wrong}] must be a string`);
}

function platformOf(value: unknown): Platform | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { os, architecture, variant } = value as Fields;
  if (typeof os !== "string" || typeof architecture !== "string") return undefined;
  return { os, architecture, ...(typeof variant === "string" ? { variant } : {}) };
}

function isSize(size: unknown): size is number {
  return typeof size === "number" && Number.isSafeInteger(size) && size >= 0;
}

function descriptorOf(value: unknown, where: string, refuse: Refuse): Descriptor {
  const fields = fieldsOf(value, where, refuse);
  const { mediaType, digest, size, artifactType } = fields;
  if (typeof mediaType !== "string") return refuse(`${where}.mediaType must be a string`);
  if (typeof digest !== "string" || !isDigest(digest))
    return refuse(`${where}.digest must be a sha256 or sha512 digest`);
  if (!isSize(size)) return refuse(`${where}.size must be a number of bytes`);
  const platform = platformOf(fields["platform"]);
  const annotations = annotationsOf(fields["annotations"], `${where}.annotations`, refuse);
  return {
    mediaType,
    digest,
    size,
    ...(typeof artifactType === "string" ? { artifactType } : {}),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    ...(platform === undefined ? {} : { platform }),
  };
}

function listOf(value: unknown, where: string, refuse: Refuse): readonly Descriptor[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return refuse(`${where} must be a list`);
  if (value.length > listLimit) return refuse(`${where} has more than ${listLimit} entries`);
  return value.map((entry, i) => descriptorOf(entry, `${where}[${i}]`, refuse));
}

function build(fields: Fields, mediaType: string, refuse: Refuse): Manifest {
  const { artifactType, subject } = fields;
  const common = {
    mediaType,
    annotations: annotationsOf(fields["annotations"], "annotations", refuse),
    ...(typeof artifactType === "string" && artifactType !== "" ? { artifactType } : {}),
    ...(subject === undefined || subject === null ? {} : { subject: descriptorOf(subject, "subject", refuse) }),
  };
  if (isIndexType(mediaType)) {
    return { kind: "index", ...common, manifests: listOf(fields["manifests"], "manifests", refuse) };
  }
  if (mediaType === mediaTypes.ociArtifact) {
    return { kind: "manifest", ...common, layers: listOf(fields["blobs"], "blobs", refuse) };
  }
  const config = descriptorOf(fields["config"], "config", refuse);
  return { kind: "manifest", ...common, config, layers: listOf(fields["layers"], "layers", refuse) };
}

function parseJson(bytes: Uint8Array, refuse: Refuse): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return refuse("it is no JSON");
  }
}

/**
 * Parses the bytes of a manifest of any supported media type.
 *
 * @param ref - the reference, for error texts.
 * @param mediaType - what the registry said; the manifest's own `mediaType` must not contradict it.
 * @throws OCI_MANIFEST_INVALID, OCI_MEDIA_TYPE_UNKNOWN
 */
export function parseManifest(bytes: Uint8Array, mediaType: string, ref: string): Manifest {
  const refuse: Refuse = (reason) => {
    throw oci.MANIFEST_INVALID({ ref, reason });
  };
  if (!manifestTypes.includes(mediaType)) throw oci.MEDIA_TYPE_UNKNOWN({ ref, found: mediaType.slice(0, 100) });
  const fields = fieldsOf(parseJson(bytes, refuse), "the document", refuse);
  const own = fields["mediaType"];
  if (own !== undefined && own !== mediaType) {
    refuse(`its mediaType ${JSON.stringify(own)} contradicts the registry's ${JSON.stringify(mediaType)}`);
  }
  return build(fields, mediaType, refuse);
}

/** `os/architecture[/variant]`. */
export function formatPlatform(platform: Platform): string {
  const variant = platform.variant === undefined ? "" : `/${platform.variant}`;
  return `${platform.os}/${platform.architecture}${variant}`;
}

/**
 * The manifest of an index that fits a platform.
 *
 * An index of one entry without platform needs no choice. Throws OCI_PLATFORM_MISSING.
 */
export function selectPlatform(index: ImageIndex, platform: Platform, ref: string): Descriptor {
  const [only, ...others] = index.manifests;
  if (only !== undefined && others.length === 0 && only.platform === undefined) return only;
  const found = index.manifests.find(
    (entry) =>
      entry.platform?.os === platform.os &&
      entry.platform.architecture === platform.architecture &&
      (platform.variant === undefined || entry.platform.variant === platform.variant),
  );
  if (found !== undefined) return found;
  const names = index.manifests.map((entry) =>
    entry.platform === undefined ? "an entry without platform" : formatPlatform(entry.platform),
  );
  throw oci.PLATFORM_MISSING({ ref, platform: formatPlatform(platform), found: names.slice(0, 10) });
}
