import { parse, prerelease, rcompare } from "semver";

/** The highest version without a pre-release, else the highest one; undefined when none is a semantic version. */
export function highestVersion(versions: readonly string[]): string | undefined {
  const known = versions.filter((version) => parse(version) !== null).toSorted(rcompare);
  return known.find((version) => prerelease(version) === null) ?? known[0];
}
