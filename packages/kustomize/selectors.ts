import { RE2JS } from "re2js";
import { kustomizeErrors } from "./errors.ts";
import { effectiveNamespace } from "./ids.ts";
import type { Selector } from "./kustomization.ts";
import type { Resource } from "./resource.ts";

/** Objects that a target means: by name and kind as regular expressions, by labels and annotations. */
export function selectResources(resources: readonly Resource[], selector: Selector): readonly Resource[] {
  const matches = {
    group: matcherOf(selector.group),
    version: matcherOf(selector.version),
    kind: matcherOf(selector.kind),
    name: matcherOf(selector.name),
    namespace: matcherOf(selector.namespace),
  };
  const labels = parseLabelSelector(selector.labelSelector);
  const annotations = parseLabelSelector(selector.annotationSelector);
  return resources.filter((resource) => {
    const { gvk, id, originalId } = resource;
    return (
      (matches.namespace(effectiveNamespace(originalId)) || matches.namespace(effectiveNamespace(id))) &&
      (matches.name(originalId.name) || matches.name(id.name)) &&
      matches.group(gvk.group) &&
      matches.version(gvk.version) &&
      matches.kind(gvk.kind) &&
      labels(resource.labels()) &&
      annotations(resource.annotations())
    );
  });
}

/** A whole-text match; an empty pattern fits everything. */
export function matcherOf(pattern: string): (text: string) => boolean {
  if (pattern === "") return () => true;
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.matches(text);
  } catch (error) {
    throw kustomizeErrors.PATCH(
      { patch: "target", problem: `${JSON.stringify(pattern)} is no regular expression` },
      error,
    );
  }
}

type Requirement = (labels: Readonly<Record<string, string>>) => boolean;

/** `a=b,c!=d,e in (f,g),h,!i`. */
function parseLabelSelector(text: string): Requirement {
  const parts = text.split(/,(?![^(]*\))/).map((part) => part.trim());
  const requirements = parts.filter((part) => part !== "").map(parseRequirement);
  return (labels) => requirements.every((requirement) => requirement(labels));
}

function parseRequirement(part: string): Requirement {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(part);
  if (set !== null) {
    const [, key = "", operator, values = ""] = set;
    const allowed = new Set(values.split(",").map((value) => value.trim()));
    return (labels) => (operator === "in") === (labels[key] !== undefined && allowed.has(labels[key]));
  }
  const equality = /^([^=!\s]+)\s*(==|=|!=)\s*(.*)$/.exec(part);
  if (equality !== null) {
    const [, key = "", operator, value = ""] = equality;
    return (labels) => (operator === "!=") !== (labels[key] === value);
  }
  if (part.startsWith("!")) return (labels) => labels[part.slice(1).trim()] === undefined;
  if (/^[\w./-]+$/.test(part)) return (labels) => labels[part] !== undefined;
  throw kustomizeErrors.PATCH({ patch: "target", problem: `unable to parse the selector ${JSON.stringify(part)}` });
}
