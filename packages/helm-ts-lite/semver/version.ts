/** A version as Masterminds/semver reads it. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly pre: string;
  readonly metadata: string;
  /** As it was written. */
  readonly original: string;
}

/** Dot-separated identifiers of pre-releases and metadata, as a pattern. */
export const identifiers = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const versionPattern = new RegExp(
  `^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-(${identifiers}))?(?:\\+(${identifiers}))?$`,
);
const maxUint64 = 2n ** 64n - 1n;

/** Reads a version of one to three parts; undefined when it is none. */
export function parseVersion(text: string): Version | undefined {
  const match = versionPattern.exec(text);
  if (match === null) return undefined;
  const [, major = "0", minor = "0", patch = "0", pre = "", metadata = ""] = match;
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
  if (numbers.some((number) => number > maxUint64)) return undefined;
  if (pre.split(".").some((part) => /^0[0-9]+$/.test(part))) return undefined;
  return { major: numbers[0], minor: numbers[1], patch: numbers[2], pre, metadata, original: text };
}

/** The full form: three parts, pre-release, metadata. */
export function formatVersion({ major, minor, patch, pre, metadata }: Version): string {
  return `${major}.${minor}.${patch}${pre === "" ? "" : `-${pre}`}${metadata === "" ? "" : `+${metadata}`}`;
}

function sign(difference: bigint): number {
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

const isNumeric = (part: string): boolean => /^[0-9]+$/.test(part);

function comparePart(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  if (isNumeric(a) && isNumeric(b)) return sign(BigInt(a) - BigInt(b));
  if (isNumeric(a) !== isNumeric(b)) return isNumeric(a) ? -1 : 1;
  return a < b ? -1 : 1;
}

function comparePre(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "" || b === "") return a === "" ? 1 : -1;
  const [x, y] = [a.split("."), b.split(".")];
  for (let index = 0; index < Math.max(x.length, y.length); index++) {
    const order = comparePart(x[index], y[index]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Orders versions; metadata does not count. */
export function compareVersions(a: Version, b: Version): number {
  return sign(a.major - b.major) || sign(a.minor - b.minor) || sign(a.patch - b.patch) || comparePre(a.pre, b.pre);
}
