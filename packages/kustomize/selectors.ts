import { RE2JS } from "re2js";
import { type Budget, stepsFor } from "./budget.ts";
import { kustomizeErrors } from "./errors.ts";
import { effectiveNamespace } from "./ids.ts";
import type { Selector } from "./kustomization.ts";
import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";

/** Objects that a target means: by name and kind as regular expressions, by labels and annotations. */
export function selectResources(list: ResourceList, selector: Selector): readonly Resource[] {
  const matches = {
    group: matcherOf(selector.group, list.budget),
    version: matcherOf(selector.version, list.budget),
    kind: matcherOf(selector.kind, list.budget),
    name: matcherOf(selector.name, list.budget),
    namespace: matcherOf(selector.namespace, list.budget),
  };
  const labels = parseLabelSelector(selector.labelSelector);
  const annotations = parseLabelSelector(selector.annotationSelector);
  const candidates = isPlain(selector.name)
    ? list.named(selector.name)
    : list.all(stepsFor(Object.values(selector).join("")));
  return candidates.filter((resource) => {
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

/** Such a pattern matches itself and nothing else. */
function isPlain(pattern: string): boolean {
  return /^[\w-]+$/.test(pattern);
}

/** A whole-text match; an empty pattern fits everything. */
function matcherOf(pattern: string, budget: Budget): (text: string) => boolean {
  if (pattern === "") return () => true;
  if (isPlain(pattern)) return (text) => text === pattern;
  const compiled = compile(pattern);
  budget.spendCompiled(compiled);
  return (text) => {
    budget.spendMatch(compiled, text);
    return compiled.matches(text);
  };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
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
  const parts = (text.match(/(?:[^,(]|\([^)]*\)?)+/g) ?? []).map((part) => part.trim());
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
