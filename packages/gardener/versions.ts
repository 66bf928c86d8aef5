import semver from "semver";

const loose = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Reads one to three numbers, with an optional `v`, pre-release and build. Undefined for anything else. */
function parse(version: string): semver.SemVer | undefined {
  const [, major, minor = "0", patch = "0", pre] = loose.exec(version) ?? [];
  if (major === undefined) return undefined;
  // Numbers with leading zeros are legal here and not in semantic versions.
  const numbers = [major, minor, patch].map(Number).join(".");
  return semver.parse(pre === undefined ? numbers : `${numbers}-${pre}`) ?? undefined;
}

/** Negative, zero or positive as `a` is older, equal or newer. Undefined when either is no version. Build is ignored. */
export function compareVersions(a: string, b: string): number | undefined {
  const left = parse(a);
  const right = parse(b);
  return left === undefined || right === undefined ? undefined : semver.compare(left, right);
}

/** The greater of the wanted and the running version; what can't be compared stays as wanted. */
export function withoutDowngrade(wanted: string, running: string | undefined): string {
  if (running === undefined) return wanted;
  return (compareVersions(running, wanted) ?? 0) > 0 ? running : wanted;
}

/** True when the version is at least `major.minor`; false when it is no version. */
export function isAtLeast(version: string, minimum: string): boolean {
  return (compareVersions(version, minimum) ?? -1) >= 0;
}
