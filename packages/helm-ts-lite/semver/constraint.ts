import { compareVersions, identifiers, parseVersion, type Version } from "./version.ts";

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
