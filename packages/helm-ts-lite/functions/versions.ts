import { int, int64 } from "../go/int.ts";
import type { GoMethod, GoObject, GoValue } from "../go/values.ts";
import { parseConstraint, satisfies } from "../semver/constraint.ts";
import { compareVersions, formatVersion, parseVersion, type Version } from "../semver/version.ts";
import { GoError } from "../template/errors.ts";
import type { State } from "../template/state.ts";
import { type FuncTable, func } from "./define.ts";

const method = (params: GoMethod["params"], call: GoMethod["call"]): GoMethod => ({ params, call });

/** A version as templates see it. */
class VersionObject implements GoObject {
  readonly goType = "*semver.Version";
  readonly goKind = "ptr";
  readonly version: Version;

  constructor(version: Version) {
    this.version = version;
  }

  goText(): string {
    return formatVersion(this.version);
  }

  toData(): GoValue {
    return this.goText();
  }

  method(name: string): GoMethod | undefined {
    return Object.hasOwn(methods, name) ? methods[name]?.(this.version) : undefined;
  }
}

const textOf = (value: GoValue): string => (typeof value === "string" ? value : "");
const compareWith = (version: Version, other: GoValue): number =>
  other instanceof VersionObject ? compareVersions(version, other.version) : 0;

function changed(version: Version, change: Partial<Version>): VersionObject {
  const next = { ...version, pre: "", metadata: "", ...change };
  const prefix = version.original.startsWith("v") ? "v" : "";
  return new VersionObject({ ...next, original: prefix + formatVersion(next) });
}

const methods: Readonly<Record<string, (version: Version) => GoMethod>> = {
  Major: (version) => method([], () => int64(version.major)),
  Minor: (version) => method([], () => int64(version.minor)),
  Patch: (version) => method([], () => int64(version.patch)),
  Prerelease: (version) => method([], () => version.pre),
  Metadata: (version) => method([], () => version.metadata),
  Original: (version) => method([], () => version.original),
  String: (version) => method([], () => formatVersion(version)),
  Compare: (version) => method(["version"], ([other]) => int(compareWith(version, other))),
  Equal: (version) => method(["version"], ([other]) => compareWith(version, other) === 0),
  LessThan: (version) => method(["version"], ([other]) => compareWith(version, other) < 0),
  GreaterThan: (version) => method(["version"], ([other]) => compareWith(version, other) > 0),
  LessThanEqual: (version) => method(["version"], ([other]) => compareWith(version, other) <= 0),
  GreaterThanEqual: (version) => method(["version"], ([other]) => compareWith(version, other) >= 0),
  IncMajor: (version) => method([], () => changed(version, { major: version.major + 1n, minor: 0n, patch: 0n })),
  IncMinor: (version) => method([], () => changed(version, { minor: version.minor + 1n, patch: 0n })),
  // A pre-release comes before its version, so that dropping it is the increment.
  IncPatch: (version) =>
    method([], () => changed(version, { patch: version.pre === "" ? version.patch + 1n : version.patch })),
  SetPrerelease: (version) =>
    method(["string"], ([pre]) => changed(version, { pre: textOf(pre), metadata: version.metadata })),
  SetMetadata: (version) =>
    method(["string"], ([metadata]) => changed(version, { pre: version.pre, metadata: textOf(metadata) })),
};

function read(text: string, state: State): Version {
  const version = parseVersion(text);
  const words = state.runtime.functions.compat === 3 ? "Invalid Semantic Version" : "invalid semantic version";
  if (version === undefined) throw new GoError(words);
  return version;
}

function compare(range: string, text: string, state: State): boolean {
  const constraint = parseConstraint(range);
  if (constraint === undefined) throw new GoError(`improper constraint: ${range}`);
  return satisfies(read(text, state), constraint);
}

export const versionFunctions: FuncTable = {
  semver: func(["string"], (text, state) => new VersionObject(read(text, state))),
  semverCompare: func(["string", "string"], compare),
};
