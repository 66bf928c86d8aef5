import { parseConstraint, satisfies } from "./constraint.ts";
import { compareVersions, parseVersion } from "./version.ts";

/**
 * The highest of these versions that is in the range, as helm picks one from a repository; an exact version is found
 * whatever it is. `undefined`: none fits, or the range is improper. An empty range takes every release.
 */
export function selectVersion(range: string, versions: readonly string[]): string | undefined {
  if (versions.includes(range)) return range;
  const constraint = parseConstraint(range === "" ? "*" : range);
  if (constraint === undefined) return undefined;
  const fitting = versions.flatMap((text) => {
    const version = parseVersion(text);
    return version !== undefined && satisfies(version, constraint) ? [{ text, version }] : [];
  });
  return fitting.sort((a, b) => compareVersions(b.version, a.version))[0]?.text;
}
