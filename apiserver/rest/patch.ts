import { hasCode, textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { applyObject, formatConflict, formatConflicts } from "@kyma-operators/ssa";
import { ApiError, apiError, fieldProblem } from "../api-error.ts";
import type { ApiRequest, ApiResponse } from "../http/messages.ts";
import { apiVersionOf, subjectOf } from "../resources/resource.ts";
import { timestamp } from "../system-clock.ts";
import { asObject, bodyText, contentType, goKind, isRecord, parseJsonBody, parseYamlBody } from "./body.ts";
import { type Call, keyOf } from "./call.ts";
import { createObject } from "./create.ts";
import { type Decoded, decodeObject, withKind } from "./decode.ts";
import { applyJsonPatch, applyMergePatch } from "./json-patch.ts";
import { resetFieldsOf, trackApplied, trackUpdate } from "./ownership.ts";
import { respondObject } from "./respond.ts";
import { applyStrategicPatch } from "./strategic-patch.ts";
import { changeObject, checkIdentity } from "./update.ts";
import { identityView, type View } from "./view.ts";
import { parseWriteOptions, type WriteOptions } from "./write-options.ts";

const apply = "application/apply-patch+yaml";
const strategic = "application/strategic-merge-patch+json";
const patchTypes = ["application/json-patch+json", "application/merge-patch+json"];

/** PATCH of an object, in any of the four ways. */
export async function patch(call: Call, view: View = identityView): Promise<ApiResponse> {
  const type = contentType(call.request);
  const options = parseWriteOptions(call.request, "PatchOptions", { isApply: type === apply });
  if (type === apply) return applyPatch(call, view, options);
  const change = patchFunction(call, type);
  const changed = await changeObject(call, {
    ...options,
    view,
    track: trackUpdate,
    compute: (old) => decodePatched(call, asObject(change(old)), { view, options }),
  });
  return respondObject(call, 200, view.read(changed, call.resource));
}

/** The patch of the request as a function of the current object. */
function patchFunction(call: Call, type: string): (old: AnyObject) => unknown {
  const supported = call.resource.custom === undefined ? [...patchTypes, strategic] : patchTypes;
  if (!supported.includes(type)) {
    const message =
      call.resource.custom !== undefined && type === strategic
        ? `the body of the request was in an unknown format - accepted media types include: ${[...patchTypes, apply].join(", ")}`
        : "415: Unsupported Media Type";
    const details = message.startsWith("415") ? { details: {} } : {};
    throw new ApiError({ code: 415, reason: "UnsupportedMediaType", message, ...details });
  }
  const body = parsePatch(bodyText(call.request));
  if (type === "application/json-patch+json") return (old) => applyJsonPatch(old, body);
  if (!isRecord(body)) {
    throw apiError.badRequest(
      `error decoding patch: json: cannot unmarshal ${goKind(body)} into Go value of type map[string]interface {}`,
    );
  }
  if (type === strategic) return (old) => applyStrategicPatch(call.resource, old, body);
  return (old) => applyMergePatch(old, body);
}

interface Decoding {
  readonly view: View;
  readonly options: WriteOptions;
}

function decodePatched(call: Call, patched: AnyObject, { view, options }: Decoding): AnyObject {
  if (view.isForeign === true) {
    checkIdentity(call, patched);
    return patched;
  }
  const { value, problems } = decodeOrRefuse(call, patched);
  checkIdentity(call, value);
  if (problems.length === 0 || options.fieldValidation === "Ignore") return value;
  if (options.fieldValidation === "Strict") throw undecodable(patched, `strict decoding error: ${problems.join(", ")}`);
  call.warnings.push(...problems);
  return value;
}

/** What a patch makes of an object has to be one of the same kind. Throws 422. */
function decodeOrRefuse(call: Call, patched: AnyObject): Decoded {
  try {
    return decodeObject(call.resource, withKind(call, patched));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 400) throw error;
    throw undecodable(patched, error.message.replace(/^.*? cannot be handled as a \w+: /, ""));
  }
}

function undecodable(patched: AnyObject, detail: string): ApiError {
  const problem = fieldProblem("FieldValueInvalid", "patch", detail, JSON.stringify(patched));
  return apiError.invalid({ resource: "", kind: "", group: "", name: "" }, [problem]);
}

function parsePatch(text: string): unknown {
  try {
    return parseJsonBody(text).value;
  } catch (error) {
    throw apiError.badRequest(`error decoding patch: ${textOf(error).replace(/^.*json parse error: /, "")}`);
  }
}

/** Server-side apply: creates an absent object, merges into a present one. */
async function applyPatch(call: Call, view: View, options: WriteOptions): Promise<ApiResponse> {
  const applied = withVersion(call, parseApplied(call.request));
  if ((applied.metadata.name ?? "") !== "") checkIdentity(call, applied);
  const isAbsent = call.core.store.get(keyOf(call)) === undefined;
  if (isAbsent && (applied.metadata.uid ?? "") !== "") throw uidMismatch(call, applied);
  if (isAbsent && view === identityView) {
    const decoded = decodeObject(call.resource, merge(call, applied, { live: undefined, options }));
    checkIdentity(call, applied);
    return respondObject(call, 201, await createObject(call, decoded.value, { ...options, track: trackApplied }));
  }
  const changed = await changeObject(call, {
    ...options,
    view,
    track: trackApplied,
    compute: (old) => {
      const merged = merge(call, named(call, applied), { live: old, options });
      return merged === old ? old : decodePatched(call, merged, { view, options });
    },
  });
  return respondObject(call, 200, view.read(changed, call.resource));
}

function parseApplied(request: ApiRequest): AnyObject {
  const value = parseAppliedYaml(bodyText(request)) ?? {};
  if (isRecord(value)) return asObject(value);
  const problem = `json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`;
  throw apiError.badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
}

function parseAppliedYaml(text: string): unknown {
  try {
    return parseYamlBody(text).value;
  } catch (error) {
    throw apiError.badRequest(`error decoding YAML: error converting YAML to JSON: ${textOf(error)}`);
  }
}

/** What is applied to an object that is there may leave its name to the path. */
function named({ target }: Call, applied: AnyObject): AnyObject {
  const { metadata } = applied;
  return (metadata.name ?? "") === "" ? { ...applied, metadata: { ...metadata, name: target.name } } : applied;
}

/** Someone who names a uid means an object that is there. */
function uidMismatch({ resource, target }: Call, { metadata }: AnyObject): ApiError {
  const problem = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
  return apiError.conflict(subjectOf(resource, target.name), problem);
}

function withVersion({ resource }: Call, applied: AnyObject): AnyObject {
  const { apiVersion, kind, metadata } = applied;
  const wanted = apiVersionOf(resource);
  if (apiVersion !== wanted || kind !== resource.kind) {
    const version = (apiVersion ?? "").includes("/") ? apiVersion : `/${apiVersion ?? ""}`;
    throw apiError.badRequest(`invalid object type: ${version}, Kind=${kind ?? ""}`);
  }
  if ((metadata.managedFields ?? []).length > 0) throw apiError.badRequest("metadata.managedFields must be nil");
  return applied;
}

interface Merging {
  readonly live: AnyObject | undefined;
  readonly options: WriteOptions;
}

function merge(call: Call, applied: AnyObject, { live, options }: Merging): AnyObject {
  const { resource, target, now } = call;
  const { object, conflicts } = refusing(() =>
    applyObject<AnyObject>({
      live,
      applied,
      manager: options.fieldManager,
      force: options.force,
      schema: resource.schema,
      subresource: target.subresource,
      resetFields: resetFieldsOf(call),
      now: timestamp(now),
    }),
  );
  if (conflicts.length === 0) return object;
  const causes = conflicts.map((conflict) => ({
    reason: "FieldManagerConflict",
    message: formatConflict(conflict),
    field: conflict.field,
  }));
  throw apiError.applyConflict(formatConflicts(conflicts), causes);
}

/** A configuration that does not fit the schema is answered as Kubernetes answers it: 500, with its own text. */
function refusing<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!hasCode(error, "SSA_PATCH_INVALID")) throw error;
    // Kubernetes names the object as the body does, and groups without a name by a slash.
    const message = textOf(error).replace(/\([^/()]*(\/[^;]*; )([^/,]+, Kind=)/, "($1/$2");
    throw new ApiError({ code: 500, reason: "", message, cause: error });
  }
}
