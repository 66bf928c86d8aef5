import { join } from "node:path";
import type { Command } from "commander";
import {
  type CredentialSource,
  createRegistryClient,
  credentialsFrom,
  firstOf,
  noCredentials,
  type PlainHttpPolicy,
  parseDockerConfig,
  type RegistryClient,
} from "oras-js";
import type { Io } from "../io.ts";

/** Flags of commands that speak to a registry. */
export interface RegistryFlags {
  readonly config?: string;
  readonly caFile?: string;
}

/** How to reach a registry, beside what flags say. */
export interface RegistryAccess extends RegistryFlags {
  /** Asked before the docker configuration. */
  readonly credentials?: CredentialSource;
  /** Registries that are spoken to without TLS; default those of this machine. */
  readonly plainHttp?: PlainHttpPolicy;
}

/** Adds `--config` and `--ca-file`. */
export function withRegistryFlags(command: Command): Command {
  return command
    .option(
      "--config <file>",
      "docker configuration with credentials (default: $DOCKER_CONFIG or ~/.docker/config.json)",
    )
    .option("--ca-file <file>", "certificates of authorities to trust beside the usual ones");
}

async function readOptional(io: Io, path: string): Promise<string | undefined> {
  try {
    return await io.files.readText(path);
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === "ENOENT") return undefined;
    throw error;
  }
}

/** A file that was asked for must exist; the one of docker may be absent. */
async function dockerConfig(io: Io, { config }: RegistryFlags): Promise<{ text: string; path: string } | undefined> {
  if (config !== undefined) return { text: await io.files.readText(config), path: config };
  const folder =
    io.env["DOCKER_CONFIG"] ?? (io.env["HOME"] === undefined ? undefined : join(io.env["HOME"], ".docker"));
  if (folder === undefined) return undefined;
  const path = join(folder, "config.json");
  const text = await readOptional(io, path);
  return text === undefined ? undefined : { text, path };
}

/** Runs with a client that has the user's credentials; plain HTTP is for `http://` and registries of this machine. */
export async function withRegistry<T>(
  io: Io,
  flags: RegistryAccess,
  run: (client: RegistryClient) => Promise<T>,
): Promise<T> {
  const found = await dockerConfig(io, flags);
  const ca = flags.caFile === undefined ? undefined : [await io.files.readText(flags.caFile)];
  const client = createRegistryClient({
    credentials: firstOf([
      flags.credentials ?? noCredentials,
      found === undefined ? noCredentials : credentialsFrom(parseDockerConfig(found.text, found.path)),
    ]),
    plainHttp: flags.plainHttp ?? "loopback",
    ...(ca === undefined ? {} : { ca }),
  });
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}
