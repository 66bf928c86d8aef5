import jsonPatch, { type Operation } from "fast-json-patch";
import { ApiError, apiError } from "../api-error.ts";
import { isRecord } from "./body.ts";

const operationLimit = 10_000;
const operations = new Set(["add", "remove", "replace", "move", "copy", "test"]);

/** Applies a JSON Patch (RFC 6902) to a copy. Throws 400 for a malformed patch, 413 for a long one, 422 when it does not fit. */
export function applyJsonPatch(document: object, patch: unknown): object {
  const list = checkOperations(patch);
  let result: object = structuredClone(document);
  for (const operation of list) result = applyOne(result, operation);
  return result;
}

function applyOne(document: object, operation: Operation): object {
  try {
    return jsonPatch.applyOperation(document, lenient(document, operation), true, true, true).newDocument;
  } catch (error) {
    throw new ApiError({
      code: 422,
      reason: "Invalid",
      message: "the server rejected our request due to an error in our request",
      details: {},
      cause: error,
    });
  }
}

const unescapePathComponent = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

/** Kubernetes lets `replace` set a field that is not there yet. */
function lenient(document: object, operation: Operation): Operation {
  if (operation.op !== "replace" || operation.path === "") return operation;
  const parts = operation.path
    .split("/")
    .slice(1)
    .map((part) => unescapePathComponent(part));
  const name = parts.pop() ?? "";
  const parent = parts.reduce<unknown>(
    (at, part) => (typeof at === "object" && at !== null ? (at as Record<string, unknown>)[part] : undefined),
    document,
  );
  return isRecord(parent) && !Object.hasOwn(parent, name) ? { ...operation, op: "add" } : operation;
}

function checkOperations(patch: unknown): readonly Operation[] {
  if (!Array.isArray(patch)) {
    throw apiError.badRequest(
      `error decoding patch: json: cannot unmarshal ${isRecord(patch) ? "object" : typeof patch} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (patch.length > operationLimit) {
    throw apiError.tooLarge(`The allowed maximum operations in a JSON patch is ${operationLimit}, got ${patch.length}`);
  }
  for (const operation of patch) checkOperation(operation);
  return patch as readonly Operation[];
}

function checkOperation(operation: unknown): void {
  const isKnown = isRecord(operation) && operations.has(String(operation.op)) && isPointer(operation.path);
  const hasSource = isRecord(operation) && (operation.from === undefined || isPointer(operation.from));
  if (isKnown && hasSource) return;
  throw new ApiError({
    code: 422,
    reason: "Invalid",
    message: "the server rejected our request due to an error in our request",
    details: {},
  });
}

function isPointer(path: unknown): boolean {
  return typeof path === "string" && (path === "" || path.startsWith("/"));
}

/** Applies a JSON Merge Patch (RFC 7386); what the patch does not touch is shared with the target. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else define(result, name, applyMergePatch(Object.hasOwn(result, name) ? result[name] : undefined, value));
  }
  return result;
}

/** Assigning to `__proto__` would not make a field of it. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
