import { join } from "node:path";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import { tagOfBuild } from "./image.ts";
import type { Bases } from "./kustomization-source.ts";
import type { SetupInput } from "./setup.ts";
import type { TlsPair } from "./values.ts";

/** Flags that choose what the operator is set up from. */
export interface SetupFlags {
  readonly namespace: string;
  readonly kustomization: readonly string[];
  readonly image?: string;
  readonly version?: string;
  readonly source?: string;
  readonly imagePullSecret?: string;
  readonly openDashboard?: boolean;
  readonly profile?: "evaluation" | "production";
  readonly registry: string;
  readonly registrySecret?: string;
}

/** A build of the operator: builds are known by the tags of their images, a clone by its manifests for one cluster. */
export function buildOf(io: Io, flags: SetupFlags, bases: Bases): Pick<SetupInput, "version" | "bases"> {
  const { source, version } = flags;
  refuseWithOwnManifests(flags);
  if (source === undefined) return { version, bases };
  if (version !== undefined) throw refused("--source and --version both choose a build: give one of them");
  if (source !== "local") return { version: tagOfBuild(source), bases };
  if (bases.folders.length > 0)
    throw refused("--source local and --kustomization both choose manifests: give one of them");
  return { version, bases: { folders: [join(io.cwd, "config/local")], files: new Map() } };
}

/** Refuses flags that change the built-in manifests only, where others are chosen. Ends with the usage code. */
function refuseWithOwnManifests(flags: SetupFlags): void {
  if (flags.kustomization.length === 0 && flags.source !== "local") return;
  const given = [
    ["--image-pull-secret", flags.imagePullSecret],
    ["--profile", flags.profile],
    ["--registry-secret", flags.registrySecret],
    ["--open-dashboard", flags.openDashboard],
  ] as const;
  const flag = given.find(([, value]) => value !== undefined)?.[0];
  if (flag === undefined) return;
  throw refused(`${flag} changes the built-in manifests only: say it in those of --kustomization or --source local`);
}

export interface TlsFlags {
  readonly tlsCrt?: string;
  readonly tlsKey?: string;
}

/** Certificate and key, both or none. Ends with the usage code for one alone. */
export async function readTls(io: Io, { tlsCrt, tlsKey }: TlsFlags): Promise<TlsPair | undefined> {
  if (tlsCrt === undefined && tlsKey === undefined) return undefined;
  if (tlsCrt === undefined) throw refused("--tls-key is of no use alone: give --tls-crt, too");
  if (tlsKey === undefined) throw refused("--tls-crt is of no use alone: give --tls-key, too");
  return { crt: await io.files.readText(tlsCrt), key: await io.files.readText(tlsKey) };
}

function refused(message: string): ExitCode {
  return new ExitCode(exitCodes.refused, message);
}
