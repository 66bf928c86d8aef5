import { mkdir, open, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { asText, type Fields, isFields, listAt, textAt, valueAt } from "../../resources/kinds/edit.ts";
import { fieldOf, type LaunchContext, type Mount } from "./launch.ts";

type VolumeContext = Omit<LaunchContext, "mounts"> & {
  /** What a projected service account token is. */
  readonly token: string;
};

/**
 * Makes the volumes of a Pod below a folder: files of Secrets, ConfigMaps and projections as they are now, empty folders
 * for the rest. Throws in the words of a kubelet when a Secret or ConfigMap is missing.
 */
export async function writeVolumes(folder: string, context: VolumeContext): Promise<void> {
  for (const volume of listAt(context.pod, "spec", "volumes")) {
    const own = join(folder, asText(volume.name));
    await mkdir(own, { recursive: true, mode: 0o700 });
    for (const [path, content] of filesOf(volume, context)) {
      const file = resolve(own, path);
      if (!file.startsWith(own + sep))
        throw new Error(`path ${JSON.stringify(path)} leaves volume ${asText(volume.name)}`);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, content, { mode: 0o600 });
    }
  }
}

/** A folder that only its owner may look into, with its parents. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/** Writes a file that only its owner may read. */
export async function writePrivate(file: string, content: string): Promise<void> {
  await writeFile(file, content, { mode: 0o600 });
}

/** Removes a folder and all in it. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** A part of a file that grows. */
export interface FilePart {
  readonly bytes: Uint8Array;
  /** Where the next part begins. */
  readonly end: number;
}

/** What a file holds from a position on, at most its last bytes; nothing when there is no file. */
export async function readPart(file: string, from: number, limitBytes: number): Promise<FilePart> {
  const handle = await open(file, "r").catch(() => undefined);
  if (handle === undefined) return { bytes: new Uint8Array(0), end: from };
  try {
    const { size } = await handle.stat();
    const position = Math.max(from, size - limitBytes);
    const buffer = Buffer.alloc(Math.max(0, size - position));
    const { bytesRead } = await handle.read({ buffer, position });
    return { bytes: buffer.subarray(0, bytesRead), end: position + bytesRead };
  } finally {
    await handle.close();
  }
}

/** Where the mounts of a container lead. */
export function mountsOf(container: Fields, folder: string): readonly Mount[] {
  return listAt(container, "volumeMounts").map((mount) => ({
    mountPath: asText(mount.mountPath).replace(/(?<=.)\/+$/, ""),
    folder: join(folder, asText(mount.name), asText(mount.subPath)),
  }));
}

type File = readonly [path: string, content: Uint8Array | string];

function filesOf(volume: Fields, context: VolumeContext): readonly File[] {
  const { secret, configMap, projected, downwardAPI } = volume;
  if (isFields(secret)) return dataFiles("/secrets", { ...secret, name: secret.secretName }, context);
  if (isFields(configMap)) return dataFiles("/configmaps", configMap, context);
  if (isFields(downwardAPI)) return ownFiles(downwardAPI, context);
  return listAt(projected, "sources").flatMap((source) => projectedFiles(source, context));
}

function projectedFiles(source: Fields, context: VolumeContext): readonly File[] {
  const { serviceAccountToken, secret, configMap, downwardAPI } = source;
  if (isFields(serviceAccountToken)) return [[asText(serviceAccountToken.path), context.token]];
  if (isFields(secret)) return dataFiles("/secrets", secret, context);
  if (isFields(configMap)) return dataFiles("/configmaps", configMap, context);
  return isFields(downwardAPI) ? ownFiles(downwardAPI, context) : [];
}

function ownFiles(source: Fields, context: VolumeContext): readonly File[] {
  return listAt(source, "items").map((item) => [
    asText(item.path),
    fieldOf(textAt(item, "fieldRef", "fieldPath"), context),
  ]);
}

function dataFiles(collection: "/secrets" | "/configmaps", source: Fields, context: VolumeContext): readonly File[] {
  const name = asText(source.name);
  const object = context.lookup(collection, name);
  if (object === undefined) {
    if (source.optional === true) return [];
    throw new Error(`references non-existent ${collection === "/secrets" ? "secret" : "configmap"} "${name}"`);
  }
  const isBase64 = collection === "/secrets";
  const files = new Map<string, Uint8Array | string>([
    ...entries(valueAt(object, "data"), isBase64),
    ...entries(valueAt(object, "binaryData"), true),
  ]);
  const items = listAt(source, "items");
  if (items.length === 0) return [...files];
  return items.flatMap((item) => itemFile(item, files, source.optional === true));
}

function entries(data: unknown, isBase64: boolean): readonly File[] {
  return Object.entries(isFields(data) ? data : {}).map(([key, value]) => [
    key,
    isBase64 ? Buffer.from(asText(value), "base64") : asText(value),
  ]);
}

function itemFile(item: Fields, files: ReadonlyMap<string, Uint8Array | string>, isOptional: boolean): readonly File[] {
  const content = files.get(asText(item.key));
  if (content !== undefined) return [[asText(item.path), content]];
  if (isOptional) return [];
  throw new Error(`references non-existent key: ${asText(item.key)}`);
}
