import type { AnyObject } from "@kyma-operators/kube";
import { apiError } from "../api-error.ts";
import { asText } from "../resources/kinds/edit.ts";

/** Whether an object is selected. */
export type FieldSelector = (object: AnyObject) => boolean;

const always = ["metadata.name", "metadata.namespace"];

/** Fields that Kubernetes selects by, beyond name and namespace; by `group/plural`. */
const selectable: Readonly<Record<string, readonly string[]>> = {
  "/pods": [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  "/events": [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  "events.k8s.io/events": [
    "regarding.kind",
    "regarding.namespace",
    "regarding.name",
    "regarding.uid",
    "regarding.apiVersion",
    "regarding.resourceVersion",
    "regarding.fieldPath",
    "reason",
    "reportingController",
    "type",
  ],
  "/secrets": ["type"],
  "/namespaces": ["status.phase", "name"],
  "/nodes": ["spec.unschedulable"],
  "/services": ["spec.clusterIP", "spec.type"],
  "/replicationcontrollers": ["status.replicas"],
  "apps/replicasets": ["status.replicas"],
  "batch/jobs": ["status.successful"],
  "certificates.k8s.io/certificatesigningrequests": ["spec.signerName"],
};

/** Names in selectors that are no paths of the object. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  name: ["metadata", "name"],
  source: ["source", "component"],
  "status.successful": ["status", "succeeded"],
};

/** Values of fields that are left out of the object. */
const absent: Readonly<Record<string, string>> = {
  "spec.unschedulable": "false",
  "spec.hostNetwork": "false",
  "status.replicas": "0",
  "status.successful": "0",
};

/**
 * Parses `fieldSelector` of the query. Throws 400 for a field that the resource is not selected by.
 *
 * @param extra - `selectableFields` of a custom resource, as dotted paths.
 */
export function parseFieldSelector(text: string, collection: string, extra: readonly string[] = []): FieldSelector {
  const allowed = [...always, ...(selectable[collection] ?? []), ...extra];
  const terms = splitTerms(text).map((term) => matcherOf(term, allowed));
  return (object) => terms.every((matches) => matches(object));
}

interface Term {
  readonly field: string;
  readonly isNegated: boolean;
  readonly value: string;
}

/** All terms are understood before the first one is looked up. */
function splitTerms(text: string): readonly Term[] {
  return text
    .split(/(?<!\\),/)
    .filter((term) => term !== "")
    .map((term) => {
      const match = /^(.*?)(!=|==|=)(.*)$/.exec(term);
      if (match === null) throw apiError.badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, field = "", operator, raw = ""] = match;
      return { field, isNegated: operator === "!=", value: unescaped(raw) };
    });
}

/** Comma, equals sign and backslash stand for themselves after a backslash only. Throws 400. */
function unescaped(raw: string): string {
  return raw.replaceAll(/\\(.?)|[=,]/gs, (found, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw apiError.badRequest(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`);
    }
    if (/^[\\,=]$/.test(escaped)) return escaped;
    throw apiError.badRequest(`invalid field selector: invalid escape sequence: ${found}`);
  });
}

function matcherOf({ field, isNegated, value }: Term, allowed: readonly string[]): FieldSelector {
  if (!allowed.includes(field)) throw apiError.badRequest(unknownField(field, allowed));
  const path = aliases[field] ?? field.split(".");
  const fallback = absent[field] ?? "";
  return (object) => (valueAt(object, path, fallback) === value) !== isNegated;
}

/** Kinds with fields of their own have another text than the rest. */
function unknownField(field: string, allowed: readonly string[]): string {
  if (allowed.length > always.length) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only ${always.map((name) => JSON.stringify(name)).join(", ")}`;
}

function valueAt(object: unknown, path: readonly string[], fallback: string): string {
  let value = object;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return fallback;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  if (value === undefined || value === null) return fallback;
  return typeof value === "object" ? JSON.stringify(value) : asText(value);
}
