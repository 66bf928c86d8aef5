import type { KubeObject } from "@kyma-operators/kube";
import type { Selection } from "./reflector.ts";

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

/** Splits at commas outside parentheses. */
function split(selector: string): readonly string[] {
  return selector.split(/,(?![^(]*\))/).map((part) => part.trim());
}

const setBased = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/;
const equality = /^([^\s=!]+)\s*(==|=|!=)\s*(\S*)$/;

function parseSet(part: string): Requirement | undefined {
  const found = setBased.exec(part);
  if (found === null) return undefined;
  const [, key = "", operator, list = ""] = found;
  const values = new Set(list.split(",").map((value) => value.trim()));
  const isIn = (labels: Labels): boolean => labels[key] !== undefined && values.has(labels[key]);
  return operator === "in" ? isIn : (labels) => !isIn(labels);
}

function parseEquality(part: string): Requirement | undefined {
  const found = equality.exec(part);
  if (found === null) return undefined;
  const [, key = "", operator, value = ""] = found;
  return operator === "!=" ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
}

function parsePresence(part: string): Requirement | undefined {
  const [, not, key = ""] = /^(!?)([^\s=!]+)$/.exec(part) ?? [];
  if (not === undefined) return undefined;
  return not === "!" ? (labels) => labels[key] === undefined : (labels) => labels[key] !== undefined;
}

const parse = (part: string): Requirement | undefined => parseSet(part) ?? parseEquality(part) ?? parsePresence(part);

/** Whether labels fulfil a selector; undefined when the selector is not understood here. */
export function matchesLabels(selector: string, labels: Labels): boolean | undefined {
  const requirements = selector.trim() === "" ? [] : split(selector).map((part) => parse(part));
  let matches = true;
  for (const requirement of requirements) {
    if (requirement === undefined) return undefined;
    matches &&= requirement(labels);
  }
  return matches;
}

/** False when an informer with this selection certainly does not show the object, or when nobody here can tell. */
export function mayShow(selection: Selection, object: KubeObject): boolean {
  const { namespace, labelSelector, fieldSelector } = selection;
  if (namespace !== undefined && namespace !== object.metadata.namespace) return false;
  if (fieldSelector !== undefined && !matchesFields(fieldSelector, object)) return false;
  return labelSelector === undefined || matchesLabels(labelSelector, object.metadata.labels ?? {}) === true;
}

function matchesFields(selector: string, { metadata }: KubeObject): boolean {
  return split(selector).every((part) => {
    const [, field, value] = /^metadata\.(name|namespace)={1,2}(\S*)$/.exec(part) ?? [];
    return (field === "name" || field === "namespace") && metadata[field] === value;
  });
}
