import { objectProblem } from "./history-model.ts";
import type { History, Life, Operation, WatchedEvent } from "./history-types.ts";

/**
 * What is wrong with a history; empty when it could have happened one request after the other.
 *
 * For each object there has to be one order of its requests that agrees with real time, with the answer of each (also of
 * those that were refused), with the watch (each write once, in order, none left out), with what each kill left (every
 * write that was answered; of those that were not, the ones that could have been done), and with versions that only grow.
 * Across objects, versions have to agree with real time too.
 */
export function historyProblems(history: History): readonly string[] {
  const objects = new Set(history.flatMap(({ operations }) => operations.map(({ object }) => object)));
  return [
    ...history.flatMap(({ watched }) => watchProblems(watched)),
    ...versionProblems(history),
    ...[...objects].flatMap((object) => objectProblem(object, history) ?? []),
  ];
}

function watchProblems(watched: readonly WatchedEvent[]): readonly string[] {
  return watched.flatMap(({ version }, index) => {
    const before = watched[index - 1]?.version ?? 0;
    return before < version ? [] : [`the watch went from ${before} to ${version}`];
  });
}

/** A version that somebody saw, the moment it was seen, and what it was. */
interface Sighting {
  readonly version: number;
  readonly moment: number;
  readonly what: string;
}

/** Real time across objects: a write that was sent after a version was seen has a higher one; no two have the same. */
function versionProblems(history: History): readonly string[] {
  const seen = history.flatMap(sightings);
  const byVersion = new Map<number, string>();
  return [
    ...seen.flatMap(({ version, what }) => {
      const other = byVersion.get(version) ?? what;
      byVersion.set(version, what);
      return other === what ? [] : [`${other} and ${what} have version ${version}`];
    }),
    ...history.flatMap(({ operations }) => operations).flatMap((write) => ageProblems(write, seen)),
  ];
}

function sightings({ operations, watched, killed, recovered }: Life): readonly Sighting[] {
  return [
    ...operations.flatMap(({ object, value, seen = value, version, answered }) =>
      version === undefined || answered === undefined
        ? []
        : [{ version, moment: answered, what: `${seen} of ${object}` }],
    ),
    ...watched.map(({ type, object, value, version, moment }) => ({
      version,
      moment,
      what: type === "DELETED" ? `the end of ${value} of ${object}` : `${value} of ${object}`,
    })),
    ...recovered.objects.map(({ object, value, version }) => ({
      version,
      moment: killed,
      what: `${value} of ${object}`,
    })),
  ];
}

function ageProblems(write: Operation, seen: readonly Sighting[]): readonly string[] {
  const what = outcome(write, seen);
  const version = seen.find((one) => one.what === what)?.version ?? Number.POSITIVE_INFINITY;
  const newer = seen.find((one) => one.moment < write.invoked && one.version >= version);
  return newer === undefined ? [] : [`${what} has version ${version}, sent after ${newer.what} had ${newer.version}`];
}

/** What a write did if anybody saw it; a delete may not be the one that did it unless it was answered. */
function outcome({ kind, value, object, base, status }: Operation, seen: readonly Sighting[]): string | undefined {
  if (kind === "create" || kind === "update") return `${value} of ${object}`;
  const isDone = kind === "delete" && status === 200;
  return isDone ? `the end of ${seen.find(({ version }) => version === base)?.what}` : undefined;
}
