import { oci } from "./errors.ts";
import { type ArtifactFiles, type ArtifactFormat, createFileClient, type FileClient } from "./file-client.ts";
import { type Descriptor, parseManifest } from "./manifest.ts";
import { mediaTypes } from "./media-types.ts";
import { formatReference, type Reference } from "./reference.ts";

const refName = "org.opencontainers.image.ref.name";
const layoutVersion = "1.0.0";

type Entry = Descriptor & { readonly annotations?: Readonly<Record<string, string>> };

async function readIndex(files: ArtifactFiles, layout: string): Promise<readonly Entry[]> {
  const refuse = (reason: string): Error => oci.LAYOUT_INVALID({ layout, reason });
  const marker = await files.read("oci-layout");
  if (marker === undefined) throw refuse("it has no file oci-layout");
  const version = parseVersion(marker);
  if (version !== layoutVersion)
    throw refuse(`imageLayoutVersion is ${JSON.stringify(version)}, expected ${layoutVersion}`);
  const bytes = await files.read("index.json");
  if (bytes === undefined) throw refuse("it has no file index.json");
  const index = parseManifest(bytes, mediaTypes.ociIndex, `${layout}/index.json`);
  return index.kind === "index" ? index.manifests : [];
}

function parseVersion(marker: Uint8Array): unknown {
  try {
    return (JSON.parse(new TextDecoder().decode(marker)) as { imageLayoutVersion?: unknown } | null)
      ?.imageLayoutVersion;
  } catch {
    return undefined;
  }
}

/** A layout keeps a tag, or a whole reference, in the annotation of an index entry. */
function isNamed(entry: Entry, reference: Reference): boolean {
  const name = entry.annotations?.[refName];
  return name !== undefined && (name === (reference.tag ?? "latest") || name === formatReference(reference));
}

function layoutFormat(files: ArtifactFiles, layout: string): ArtifactFormat {
  return {
    blobPath: (digest) => `blobs/${digest.replace(":", "/")}`,
    find: async (reference) => (await readIndex(files, layout)).find((entry) => isNamed(entry, reference)),
    enter: async (reference, descriptor) => {
      const isNew = (await files.read("oci-layout")) === undefined;
      const others = isNew ? [] : (await readIndex(files, layout)).filter((entry) => !isNamed(entry, reference));
      const named =
        reference.tag === undefined ? descriptor : { ...descriptor, annotations: { [refName]: reference.tag } };
      const kept = others.filter(
        (entry) => entry.digest !== descriptor.digest || entry.annotations?.[refName] !== undefined,
      );
      const index = { schemaVersion: 2, mediaType: mediaTypes.ociIndex, manifests: [...kept, named] };
      await files.write("index.json", Buffer.from(JSON.stringify(index)));
      await files.write("oci-layout", Buffer.from(JSON.stringify({ imageLayoutVersion: layoutVersion })));
    },
    tags: async () => (await readIndex(files, layout)).flatMap((entry) => entry.annotations?.[refName] ?? []),
  };
}

/**
 * A registry client over an OCI image layout. A layout is one repository: host and path of references
 * do not matter, tags and digests do.
 *
 * @param layout - names the directory or archive in error texts.
 * @throws OCI_LAYOUT_INVALID when something is asked of a directory that is no layout
 */
export function createLayoutClient(files: ArtifactFiles, layout = "OCI layout"): FileClient {
  return createFileClient(files, layoutFormat(files, layout));
}
