import { helm } from "../errors.ts";
import { formatValue } from "../go/print.ts";
import { quote } from "../go/quote.ts";
import type { GoMethod, GoObject, GoValue } from "../go/values.ts";
import { type Compat, HELM_VERSION, HELM3_VERSION } from "../version.ts";
import { apiVersionsOf } from "./api-versions.ts";

/** What a chart may know of the cluster. */
export interface Capabilities {
  /** For example `v1.29.4-gke.100`. Default: what the followed helm release assumes. */
  readonly kubeVersion?: string;
  /** `group/version` and `group/version/Kind`, in addition to the built-in list. */
  readonly apiVersions?: readonly string[];
  /** The helm version that `.Capabilities.HelmVersion` shows. */
  readonly helmVersion?: string;
}

const text = (goText: string, toData: GoValue): Pick<GoObject, "goText" | "toData"> => ({
  goText: () => goText,
  toData: () => toData,
});

const method = (params: GoMethod["params"], call: GoMethod["call"]): GoMethod => ({ params, call });

/** A cluster version in its parts. */
export interface KubeVersion {
  /** With a leading `v`, as given. */
  readonly version: string;
  readonly major: string;
  readonly minor: string;
  /** Only the leading dotted digits in helm 4, everything in helm 3. */
  readonly text: string;
}

const versionPattern = /^v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:[-+].*)?$/;

/** Reads `--kube-version`. Throws `HELM_VALUES` in helm's words. */
export function parseKubeVersion(given: string, compat: Compat): KubeVersion {
  const match = versionPattern.exec(given);
  if (match === null)
    throw helm.VALUES({ text: `invalid kube version '${given}': could not parse ${quote(given)} as version` });
  const [, major = "", minor] = match;
  if (minor === undefined)
    throw helm.VALUES({ text: `invalid kube version '${given}': illegal version string ${quote(given)}` });
  const version = given.startsWith("v") ? given : `v${given}`;
  const short = /^v[0-9]+(?:\.[0-9]+)*/.exec(version)?.[0] ?? version;
  return { version, major, minor, text: compat === 3 ? version : short };
}

function fieldsOf(fields: Readonly<Record<string, GoValue>>): NonNullable<GoObject["field"]> {
  return (name) => (Object.hasOwn(fields, name) ? { value: fields[name] } : undefined);
}

function kubeVersionObject(version: KubeVersion, packageName: string): GoObject {
  const fields = { Version: version.version, Major: version.major, Minor: version.minor };
  return {
    goType: `${packageName}.KubeVersion`,
    goKind: "struct",
    ...text(version.text, new Map(Object.entries(fields))),
    field: fieldsOf(fields),
    method: (name) => {
      if (name === "String") return method([], () => version.text);
      return name === "GitVersion" ? method([], () => version.version) : undefined;
    },
  };
}

function apiVersionsObject(versions: readonly string[], packageName: string): GoObject {
  const known = new Set(versions);
  return {
    goType: `${packageName}.VersionSet`,
    goKind: "slice",
    ...text(`[${versions.join(" ")}]`, [...versions]),
    entries: () => versions.map((version, index) => [index, version] as const),
    method: (name) =>
      name === "Has" ? method(["string"], ([version]) => typeof version === "string" && known.has(version)) : undefined,
  };
}

export const defaultKubeVersion: Readonly<Record<Compat, string>> = { 3: "v1.32.0", 4: "v1.35.0" };

/** `.Capabilities` as templates see it. Throws `HELM_VALUES` for a bad version. */
export function capabilitiesObject(
  given: Capabilities,
  compat: Compat,
): { readonly object: GoObject; readonly kubeVersion: KubeVersion } {
  const packageName = compat === 3 ? "chartutil" : "common";
  const kubeVersion = parseKubeVersion(given.kubeVersion ?? defaultKubeVersion[compat], compat);
  const versions = [...apiVersionsOf(compat), ...(given.apiVersions ?? [])];
  const helmVersion = given.helmVersion ?? (compat === 3 ? HELM3_VERSION : HELM_VERSION);
  const fields = {
    KubeVersion: kubeVersionObject(kubeVersion, packageName),
    APIVersions: apiVersionsObject(versions, packageName),
    HelmVersion: helmVersionObject(helmVersion, compat),
  };
  const object: GoObject = {
    goType: `*${packageName}.Capabilities`,
    goKind: "ptr",
    ...text(
      `&{${formatValue(fields.KubeVersion)} ${formatValue(fields.APIVersions)} ${formatValue(fields.HelmVersion)}}`,
      new Map(Object.entries(fields)),
    ),
    field: fieldsOf(fields),
  };
  return { object, kubeVersion };
}

/** What the helm binaries say of themselves. */
const buildOf: Readonly<Record<Compat, Readonly<Record<string, string>>>> = {
  3: { GitCommit: "e4da49785aa6e6ee2b86efd5dd9e43400318262b", GitTreeState: "clean", GoVersion: "go1.23.7" },
  4: {
    GitCommit: "05fa37973dc9e42b76e1d2883494c87174b6074f",
    GitTreeState: "clean",
    GoVersion: "go1.25.9",
    KubeClientVersion: "v1.35",
  },
};

function helmVersionObject(version: string, compat: Compat): GoObject {
  const fields = { Version: version, ...buildOf[compat] };
  return {
    goType: "version.BuildInfo",
    goKind: "struct",
    ...text(`{${Object.values(fields).join(" ")}}`, new Map(Object.entries({ version }))),
    field: fieldsOf(fields),
  };
}
