import type { AnyObject, ObjectMeta } from "@kyma-operators/kube";
import { applyDefaults, prune } from "@kyma-operators/schema";
import { ApiError, apiError } from "../api-error.ts";
import { kindFacts } from "../facts/facts.ts";
import { messageFields, messageName } from "../facts/go-types.ts";
import { apiVersionOf, type ServedResource, withDefaults } from "../resources/resource.ts";
import { definitionProblem } from "../resources/schema-types.ts";
import { typeProblem } from "../resources/types.ts";
import { asIdentified, asObject, type Body, parseBody } from "./body.ts";
import type { Call } from "./call.ts";
import type { WriteOptions } from "./write-options.ts";

/** The object in the body of a create or update: of the right kind, without unknown fields, with defaults. */
export function decodeBody(call: Call, { fieldValidation }: WriteOptions): AnyObject {
  const body = readIdentified(call);
  const object = withKind(call, asObject(body.value, call.resource.kind));
  const { value, problems } = decodeObject(call.resource, object);
  reportFields(call, [...duplicatesOf(body, fieldValidation), ...problems], fieldValidation);
  return value;
}

/** Throws 400 in the words of Kubernetes for what is no object at all, with the begin of the body. */
function readIdentified({ request, resource: { kind } }: Call): Body {
  try {
    const body = parseBody(request);
    asIdentified(body.value);
    return body;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 400) throw error;
    const summary = summaryOf(request.body);
    throw apiError.badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${error.message} (${summary})`,
    );
  }
}

const summaryLimit = 30;

/** The begin of a body, in hexadecimal unless it looks like JSON. */
function summaryOf(body: Uint8Array): string {
  if (body.byteLength === 0) return "<empty>";
  const text = Buffer.from(body.subarray(0, summaryLimit)).toString(body[0] === 0x7b ? "utf8" : "hex");
  return body.byteLength > summaryLimit ? `${text} ...` : text;
}

function duplicatesOf(body: Body, validation: WriteOptions["fieldValidation"]): readonly string[] {
  if (validation === "Ignore") return [];
  return body.duplicates().map((path) => `duplicate field "${path}"`);
}

/** Fills an absent `apiVersion` and `kind`. Throws 400 when they are others than the path's. */
export function withKind({ resource, core }: Call, object: AnyObject): AnyObject {
  const wanted = apiVersionOf(resource);
  const apiVersion = object.apiVersion || wanted;
  const kind = object.kind || resource.kind;
  if (apiVersion === wanted && kind === resource.kind) {
    return object.apiVersion === wanted && object.kind === kind ? object : { ...object, apiVersion, kind };
  }
  const version = apiVersion.split("/").at(-1) ?? "";
  const problem =
    core.registry.byKind(apiVersion, kind) === undefined
      ? `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`
      : `converting (${version}.${kind}) to (${resource.group.split(".")[0] || "core"}.${resource.kind}): unknown conversion`;
  throw apiError.badRequest(`${kind} in version "${version}" cannot be handled as a ${resource.kind}: ${problem}`);
}

/** An object without the fields its schema does not know and with its defaults. */
export interface Decoded {
  readonly value: AnyObject;
  /** For example `unknown field "spec.foo"`. */
  readonly problems: readonly string[];
}

/** Brings any object of the kind into the form that is stored. Throws 400 for values of a wrong type. */
export function decodeObject(resource: ServedResource, object: AnyObject): Decoded {
  refuseTypes(resource, object);
  const { metadata, removed } = pruneMetadata(resource, object);
  const pruned = prune(resource.schema, metadata === object.metadata ? object : { ...object, metadata }, {
    root: true,
  });
  const defaulted = applyDefaults(resource.schema, pruned.value);
  const unknown = [...removed.map((path) => `metadata.${path}`), ...pruned.removed];
  return { value: withDefaults(resource, defaulted), problems: unknown.map((path) => `unknown field "${path}"`) };
}

/** `metadata` has the same fields in every kind. Managed fields are left to their own reader. */
function pruneMetadata(
  { schema }: ServedResource,
  { metadata }: AnyObject,
): { metadata: ObjectMeta; removed: readonly string[] } {
  const own = schema.properties.get("metadata");
  if (own === undefined) return { metadata, removed: [] };
  const { managedFields, ...rest } = metadata;
  const { value, removed } = prune(own, rest);
  if (removed.length === 0) return { metadata, removed };
  return { metadata: managedFields === undefined ? value : { ...value, managedFields }, removed };
}

/** Built-in kinds are Go structs that can't hold another type; custom resources are judged by validation. */
function refuseTypes(resource: ServedResource, object: AnyObject): void {
  const { kind, version } = resource;
  const problem = typeProblemOf(resource, object);
  if (problem === undefined) return;
  throw apiError.badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
}

function typeProblemOf({ custom, group, version, kind }: ServedResource, object: AnyObject): string | undefined {
  const { apiVersion, metadata } = object;
  const ofMetadata = typeProblem("meta/v1", "PartialObjectMetadata", { metadata });
  if (custom !== undefined || ofMetadata !== undefined) return ofMetadata;
  if (messageFields(messageName(apiVersion, kind)) !== undefined) return typeProblem(apiVersion, kind, object);
  const facts = kindFacts(group, version, kind);
  return facts === undefined ? undefined : definitionProblem(facts.definition, object);
}

const warningLimit = 50;

/** Refuses (Strict), warns about (Warn) or passes (Ignore) problems of fields. */
export function reportFields(
  call: Call,
  problems: readonly string[],
  validation: WriteOptions["fieldValidation"],
): void {
  if (problems.length === 0 || validation === "Ignore") return;
  if (validation === "Strict") {
    const { kind, version } = call.resource;
    throw apiError.badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${problems.join(", ")}`,
    );
  }
  call.warnings.push(...problems.slice(0, warningLimit));
}
