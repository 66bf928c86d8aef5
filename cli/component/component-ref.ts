import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  type ComponentRepository,
  createTransportClient,
  readTransportArchive,
  versionOfTag,
  writeTransportArchive,
} from "@kyma-operators/ocm";
import { type ArtifactFiles, type FileClient, filesInMemory, type RegistryClient } from "oras-js";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";

/** A component version as a user names it. */
export interface ComponentRef {
  /** Host with optional path, or the path of a transport archive. */
  readonly base: string;
  readonly name: string;
  readonly version: string;
}

/** What a user may write; shown in the help. */
export const refHelp =
  "HOST[/PATH]//NAME:VERSION, HOST[/PATH]/component-descriptors/NAME:VERSION, or ARCHIVE//NAME:VERSION";

const shapes = [
  /^((?:\w+:\/\/)?[^/].*?)\/\/([^/].*):([^:/]+)$/,
  /^((?:\w+:\/\/)?[^/].*?)\/component-descriptors\/(.+):([^:/]+)$/,
  /^(\/.*?)\/\/([^/].*):([^:/]+)$/,
];

/** Takes a component reference apart. Ends with the usage code for anything else. */
export function parseComponentRef(text: string): ComponentRef {
  for (const shape of shapes) {
    const [, base, name, version] = shape.exec(text) ?? [];
    if (base !== undefined && name !== undefined && version !== undefined)
      return { base, name, version: versionOfTag(version) };
  }
  throw new ExitCode(exitCodes.refused, `${JSON.stringify(text)} names no component version: expected ${refHelp}`);
}

/** Where a component version is read from and written to. */
export interface ComponentPlace {
  readonly client: RegistryClient | FileClient;
  readonly repository: ComponentRepository;
  /** Keeps what was written; an archive in one file is written as a whole. */
  readonly save: () => Promise<void>;
}

function folderFiles(io: Io, folder: string): ArtifactFiles {
  return {
    read: async (path) => {
      try {
        return await io.files.read(join(folder, path));
      } catch (error) {
        if ((error as { code?: unknown } | null)?.code === "ENOENT") return undefined;
        throw error;
      }
    },
    write: (path, content) => io.files.write(join(folder, path), content),
  };
}

// An archive has no host; any will do.
const archiveRepository: ComponentRepository = { baseUrl: "archive.invalid" };

async function nothing(): Promise<void> {}

async function archivePlace(io: Io, path: string): Promise<ComponentPlace> {
  const packed = await io.files.read(path);
  const files = await readTransportArchive(packed, { name: path });
  const isGzip = packed[0] === 0x1f && packed[1] === 0x8b;
  return {
    client: createTransportClient(filesInMemory(files), path),
    repository: archiveRepository,
    save: () => {
      const tar = writeTransportArchive(files);
      return io.files.write(path, isGzip ? gzipSync(tar) : tar);
    },
  };
}

/** A registry, or a transport archive when the reference names a file or folder that is there. */
export async function placeOf(io: Io, { base }: ComponentRef, registry: RegistryClient): Promise<ComponentPlace> {
  const kind = await io.files.kind(base);
  if (kind === "file") return archivePlace(io, base);
  if (kind !== "directory") return { client: registry, repository: { baseUrl: base }, save: nothing };
  const client = createTransportClient(folderFiles(io, base), base);
  return { client, repository: archiveRepository, save: nothing };
}
