import { fail, OpaqueValue } from "../values.ts";
import { declare } from "./registry.ts";

class Semver extends OpaqueValue {
  readonly typeName = "kubernetes.Semver";
  readonly core: readonly bigint[];
  readonly prerelease: readonly string[];
  readonly build: string;

  constructor(core: readonly bigint[], prerelease: readonly string[], build: string) {
    super();
    this.core = core;
    this.prerelease = prerelease;
    this.build = build;
  }

  toString(): string {
    const prerelease = this.prerelease.length > 0 ? `-${this.prerelease.join(".")}` : "";
    return `${this.core.join(".")}${prerelease}${this.build === "" ? "" : `+${this.build}`}`;
  }

  /** Builds do not count. */
  override identity(): string {
    return new Semver(this.core, this.prerelease, "").toString();
  }
}

/** Reads a version; a text is the reason why it is none. */
function readSemver(text: string): Semver | string {
  if (text === "") return "Version string empty";
  const [numbers, build] = splitOnce(text, "+");
  const [core, prerelease] = splitOnce(numbers, "-");
  const parts = core.split(".");
  if (parts.length !== 3) return "No Major.Minor.Patch elements found";
  const bad = parts.find((part) => !/^(0|[1-9]\d*)$/.test(part));
  if (bad !== undefined) return badNumber(bad);
  const identifiers = prerelease === "" ? [] : prerelease.split(".");
  const stray = [...identifiers, ...build.split(".")].find((part) => /[^0-9A-Za-z-]/.test(part));
  if (stray !== undefined) return `Invalid character(s) found in prerelease ${JSON.stringify(stray)}`;
  return new Semver(parts.map(BigInt), identifiers, build);
}

function badNumber(part: string): string {
  if (/^0\d+$/.test(part)) return `Major number must not contain leading zeroes ${JSON.stringify(part)}`;
  return `Invalid character(s) found in major number ${JSON.stringify(part)}`;
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Completes what people write: a leading v, missing parts, leading zeros. */
function normalize(text: string): string {
  const trimmed = text.trim().replace(/^v/, "");
  const [, core = "", rest = ""] = /^([^+-]*)(.*)$/s.exec(trimmed) ?? [];
  const parts = core.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  while (parts.length < 3) parts.push("0");
  return parts.join(".") + rest;
}

function parse(text: string): Semver {
  const version = readSemver(text);
  return typeof version === "string" ? fail(version) : version;
}

function compare(a: Semver, b: Semver): bigint {
  for (const [at, part] of a.core.entries()) {
    const other = b.core[at] ?? 0n;
    if (part !== other) return part < other ? -1n : 1n;
  }
  return comparePrereleases(a.prerelease, b.prerelease);
}

function comparePrereleases(a: readonly string[], b: readonly string[]): bigint {
  if (a.length === 0 || b.length === 0) return BigInt(Math.sign(b.length - a.length));
  for (const [at, part] of a.entries()) {
    const order = compareIdentifiers(part, b[at]);
    if (order !== 0n) return order;
  }
  return a.length < b.length ? -1n : 0n;
}

/** Numbers before texts; a longer list wins over its beginning. */
function compareIdentifiers(a: string, b: string | undefined): bigint {
  if (b === undefined) return 1n;
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left !== right) return left ? -1n : 1n;
  const [x, y] = left ? [BigInt(a), BigInt(b)] : [a, b];
  if (x === y) return 0n;
  return x < y ? -1n : 1n;
}

const isSemver = (text: string): boolean => typeof readSemver(text) !== "string";
const part = (at: number) => (version: Semver) => version.core[at] ?? 0n;

export const semvers = declare({
  "semver(string): Semver": parse,
  "semver(string, bool): Semver": (text: string, loose: boolean) => parse(loose ? normalize(text) : text),
  "isSemver(string): bool": isSemver,
  "isSemver(string, bool): bool": (text: string, loose: boolean) => isSemver(loose ? normalize(text) : text),
  "Semver.major(): int": part(0),
  "Semver.minor(): int": part(1),
  "Semver.patch(): int": part(2),
  "Semver.isLessThan(Semver): bool": (a: Semver, b: Semver) => compare(a, b) < 0n,
  "Semver.isGreaterThan(Semver): bool": (a: Semver, b: Semver) => compare(a, b) > 0n,
  "Semver.compareTo(Semver): int": compare,
});
