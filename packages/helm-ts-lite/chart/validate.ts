import { helm } from "../errors.ts";
import { quote } from "../go/quote.ts";
import { parseVersion } from "../semver/version.ts";
import type { Compat } from "../version.ts";
import { invalid } from "./metadata.ts";
import type { Dependency, Metadata } from "./types.ts";

const aliasPattern = /^[a-zA-Z0-9_-]+$/;

function checkName(name: string): void {
  if (name === "") throw invalid("chart.metadata.name is required");
  if (name === "." || name === ".." || name.includes("/"))
    throw invalid(`chart.metadata.name ${quote(name)} is invalid`);
}

function checkDependencies(dependencies: readonly Dependency[]): void {
  const seen = new Set<string>();
  for (const { name, alias } of dependencies) {
    if (alias !== "" && !aliasPattern.test(alias)) {
      throw invalid(`dependency ${quote(name)} has disallowed characters in the alias`);
    }
    const key = alias === "" ? name : alias;
    if (seen.has(key)) throw invalid(`more than one dependency with name or alias ${quote(key)}`);
    seen.add(key);
  }
}

/** Checks metadata in helm's order. Throws `HELM_CHART`. */
export function validateMetadata(metadata: Metadata, compat: Compat): void {
  const { apiVersion, version, type } = metadata;
  if (compat === 4 && apiVersion !== "v1" && apiVersion !== "v2")
    throw helm.CHART({ text: "unsupported chart version" });
  checkName(metadata.name);
  if (version === "") throw invalid("chart.metadata.version is required");
  if (parseVersion(version) === undefined) throw invalid(`chart.metadata.version ${quote(version)} is invalid`);
  if (!["", "application", "library"].includes(type))
    throw invalid("chart.metadata.type must be application or library");
  checkDependencies(metadata.dependencies);
}
