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

const identifiers = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
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

interface Part {
  readonly operator: string;
  readonly version: Version;
  readonly minorDirty: boolean;
  readonly patchDirty: boolean;
  readonly dirty: boolean;
}

/** Groups of parts: one group must hold with all of its parts. */
export type Constraint = readonly (readonly Part[])[];

const operators = "=>|<=|=<|>=|!=|~>|=|>|<|~|\\^";
const number = "[0-9]+|x|X|\\*";
const partVersion = `v?(${number})(\\.(?:${number}))?(\\.(?:${number}))?(?:-(${identifiers}))?(?:\\+(${identifiers}))?`;
const partPattern = new RegExp(`^\\s*(${operators})?\\s*(${partVersion})\\s*$`);
const onePart = `\\s*(?:${operators})?\\s*${partVersion.replaceAll(/\((?!\?)/g, "(?:")}\\s*`;
const validGroup = new RegExp(`^(?:${onePart})(?:(?:\\s+|,\\s*)${onePart})*$`);
const findParts = new RegExp(`(?:${operators})?\\s*${partVersion.replaceAll(/\((?!\?)/g, "(?:")}`, "g");
const rangePattern = new RegExp(
  `\\s*(${partVersion.replaceAll(/\((?!\?)/g, "(?:")})\\s+-\\s+(${partVersion.replaceAll(/\((?!\?)/g, "(?:")})\\s*`,
  "g",
);

const isWild = (part: string | undefined): boolean => part === undefined || part === "" || /^\.?[xX*]$/.test(part);

function suffixOf(pre: string | undefined, metadata: string | undefined): string {
  return (pre === undefined ? "" : `-${pre}`) + (metadata === undefined ? "" : `+${metadata}`);
}

function parsePart(text: string): Part | undefined {
  const match = partPattern.exec(text);
  if (match === null) return undefined;
  const [, operator = "", written = "", major, minor, patch, pre, metadata] = match;
  const suffix = suffixOf(pre, metadata);
  const missing = [major, minor, patch].findIndex(isWild);
  const full = [written, `0.0.0${suffix}`, `${major}.0.0${suffix}`, `${major}${minor}.0${suffix}`][missing + 1];
  const version = parseVersion(full ?? "");
  if (version === undefined) return undefined;
  // A wildcard for the major part alone accepts everything from 0.0.0 on.
  const anything = missing === 0 && (operator === "" || operator === "=");
  return {
    operator: anything ? ">=" : operator,
    version,
    minorDirty: missing === 1,
    patchDirty: missing === 2,
    dirty: missing >= 0,
  };
}

/** Reads a constraint; undefined when it is improper. */
export function parseConstraint(text: string): Constraint | undefined {
  const ranged = text.replaceAll(rangePattern, (_all, from, to) => `>=${String(from)} <=${String(to)} `);
  const groups: Part[][] = [];
  for (const group of ranged.split("||")) {
    if (!validGroup.test(group)) return undefined;
    const parts = (group.match(findParts) ?? []).map(parsePart);
    if (parts.length === 0 || parts.includes(undefined)) return undefined;
    groups.push(parts.filter((part) => part !== undefined));
  }
  return groups;
}

const sameMajor = (a: Version, b: Version): boolean => a.major === b.major;
const sameMinor = (a: Version, b: Version): boolean => a.major === b.major && a.minor === b.minor;

function satisfiesTilde(version: Version, part: Part): boolean {
  if (compareVersions(version, part.version) < 0) return false;
  const everything =
    part.version.major === 0n &&
    part.version.minor === 0n &&
    part.version.patch === 0n &&
    !part.minorDirty &&
    !part.patchDirty;
  if (everything && part.dirty) return true;
  if (!sameMajor(version, part.version)) return false;
  return part.minorDirty || version.minor === part.version.minor;
}

function satisfiesCaret(version: Version, part: Part): boolean {
  const base = part.version;
  if (compareVersions(version, base) < 0) return false;
  if (base.major > 0n || part.minorDirty) return sameMajor(version, base);
  if (!sameMajor(version, base)) return false;
  if (base.minor > 0n || part.patchDirty) return sameMinor(version, base);
  return version.minor === 0n && version.patch === base.patch;
}

function satisfiesGreater(version: Version, part: Part): boolean {
  const base = part.version;
  if (!part.dirty) return compareVersions(version, base) > 0;
  if (part.minorDirty) return version.major > base.major;
  if (part.patchDirty) return version.major > base.major || (sameMajor(version, base) && version.minor > base.minor);
  return compareVersions(version, base) > 0;
}

function satisfiesAtMost(version: Version, part: Part): boolean {
  const base = part.version;
  if (!part.dirty) return compareVersions(version, base) <= 0;
  if (version.major > base.major) return false;
  return !(sameMajor(version, base) && version.minor > base.minor && !part.minorDirty);
}

function satisfiesNot(version: Version, part: Part): boolean {
  const base = part.version;
  if (!part.dirty) return compareVersions(version, base) !== 0;
  if (!sameMajor(version, base)) return true;
  if (part.minorDirty) return false;
  return version.minor !== base.minor;
}

function satisfiesEqual(version: Version, part: Part): boolean {
  return part.dirty ? satisfiesTilde(version, part) : compareVersions(version, part.version) === 0;
}

const checks: Readonly<Record<string, (version: Version, part: Part) => boolean>> = {
  "": satisfiesEqual,
  "=": satisfiesEqual,
  "!=": satisfiesNot,
  ">": satisfiesGreater,
  "<": (version, part) => compareVersions(version, part.version) < 0,
  ">=": (version, part) => compareVersions(version, part.version) >= 0,
  "=>": (version, part) => compareVersions(version, part.version) >= 0,
  "<=": satisfiesAtMost,
  "=<": satisfiesAtMost,
  "~": satisfiesTilde,
  "~>": satisfiesTilde,
  "^": satisfiesCaret,
};

function satisfiesGroup(version: Version, group: readonly Part[]): boolean {
  // Pre-releases are taken only by groups that name one.
  if (version.pre !== "" && !group.some((part) => part.version.pre !== "")) return false;
  return group.every((part) => checks[part.operator]?.(version, part) ?? false);
}

/** Whether a version fulfils a constraint. */
export function satisfies(version: Version, constraint: Constraint): boolean {
  return constraint.some((group) => satisfiesGroup(version, group));
}

/** Whether both are well formed and the version is in the range. */
export function isCompatible(range: string, version: string): boolean {
  const [parsed, constraint] = [parseVersion(version), parseConstraint(range)];
  return parsed !== undefined && constraint !== undefined && satisfies(parsed, constraint);
}
