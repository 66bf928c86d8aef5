import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Wanted } from "../module/edit.ts";
import { deployErrors } from "./errors.ts";
import type { ModuleList } from "./module-list.ts";

/** A module as a flag names it: `name` or the name of its component, alone or with `@channel` or `@version`. */
export interface ModuleFlag extends Wanted {
  readonly version?: string;
  /** For example `example.org/module/demo`; its last part is the name. */
  readonly component?: string;
}

export function parseModuleFlag(text: string): ModuleFlag {
  const [given = "", suffix, ...rest] = text.split("@");
  const name = given.slice(given.lastIndexOf("/") + 1);
  if (name === "" || suffix === "" || rest.length > 0) {
    throw new ExitCode(exitCodes.refused, `--module ${text}: expected NAME, NAME@CHANNEL or NAME@VERSION`);
  }
  const named = { name, ...(given === name ? {} : { component: given }) };
  if (suffix === undefined) return named;
  return /^v?\d/.test(suffix) ? { ...named, version: suffix.replace(/^v/, "") } : { ...named, channel: suffix };
}

/** Modules of the list first; a flag for the same module adds to its entry. */
export function wantedModules(flags: readonly string[], list: ModuleList | undefined): readonly ModuleFlag[] {
  const wanted = new Map(flags.map(parseModuleFlag).map((flag) => [flag.name, flag]));
  const listed = (list?.modules ?? []).map(({ name, channel, customResourcePolicy: policy, managed }): ModuleFlag => {
    const flagged = wanted.get(name);
    wanted.delete(name);
    return {
      ...flagged,
      name,
      ...(channel === undefined ? {} : { channel }),
      ...(policy === undefined ? {} : { policy }),
      ...(managed === undefined ? {} : { managed }),
    };
  });
  return [...listed, ...wanted.values()];
}

/** Turns versions into the channels that lead to them. Throws `DEPLOY_NO_CHANNEL`. */
export function resolveVersion(
  { version, component: _component, ...wanted }: ModuleFlag,
  releases: readonly ModuleReleaseMeta[],
): Wanted {
  if (version === undefined || wanted.channel !== undefined) return wanted;
  const channels = releases.find(({ spec }) => spec.moduleName === wanted.name)?.spec.channels ?? [];
  const found = channels.find((entry) => entry.version === version);
  const known = channels.map((entry) => `${entry.version}(${entry.channel})`);
  if (found === undefined) throw deployErrors.NO_CHANNEL({ module: wanted.name, version, known });
  return { ...wanted, channel: found.channel };
}
