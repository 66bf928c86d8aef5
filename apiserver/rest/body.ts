import { isAppError, textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import { type ApiError, apiError } from "../api-error.ts";
import type { ApiRequest } from "../http/messages.ts";
import { duplicateFields } from "./json-duplicates.ts";
import { jsonProblem } from "./json-problem.ts";
import { parseProtobuf } from "./protobuf.ts";

const readable = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const depthLimit = 1_000;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A parsed body; `duplicates` is only looked up when someone asks for field validation. */
export interface Body {
  readonly value: unknown;
  duplicates(): readonly string[];
}

const token = "[\\w!#$%&'*+.^`|~-]+";
const mediaType = new RegExp(`^\\s*(${token}(?:/${token})?)\\s*(?:;\\s*${token}=(?:${token}|"[^"]*")\\s*)*;?\\s*$`);

/** The media type without its parameters, in lower case; all of a malformed header, which is no type that is known. */
export function contentType({ headers }: ApiRequest): string {
  const header = headers["content-type"] ?? "";
  return (mediaType.exec(header)?.[1] ?? header).toLowerCase();
}

/** The body as text. Throws 400 when it is not UTF-8. */
export function bodyText({ body }: ApiRequest): string {
  try {
    return decoder.decode(body);
  } catch (error) {
    throw apiError.badRequest(`the body is not UTF-8: ${textOf(error)}`);
  }
}

/** Reads a JSON or YAML body. Throws 400 for a malformed one and 415 for another type. */
export function parseBody(request: ApiRequest): Body {
  const type = contentType(request);
  if (type === "" || type === "application/json") return parseJsonBody(bodyText(request));
  if (type === "application/vnd.kubernetes.protobuf")
    return { value: parseProtobuf(request.body), duplicates: () => [] };
  if (type === "application/yaml") return parseYamlBody(bodyText(request));
  throw apiError.unsupportedMediaType(readable);
}

/** Reads a text as JSON. Throws 400. */
export function parseJsonBody(text: string): Body {
  if (isTooDeep(text)) throw noJson(jsonProblem(text) ?? "exceeded max depth");
  try {
    return { value: JSON.parse(text), duplicates: () => duplicateFields(text) };
  } catch (error) {
    throw noJson(jsonProblem(text) ?? textOf(error));
  }
}

const noJson = (problem: string): ApiError =>
  apiError.badRequest(`couldn't get version/kind; json parse error: ${problem}`);

/** Nesting that no object of Kubernetes has, and that would only exhaust the stack of whoever walks it. */
function isTooDeep(text: string): boolean {
  if (text.length < depthLimit) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (depth > depthLimit) return true;
  }
  return false;
}

/** Reads a text as YAML, of which JSON is a part. Throws 400. */
export function parseYamlBody(text: string): Body {
  try {
    const value = parseYaml(text, {
      name: "body",
      integers: "float64",
      limits: { maxNodes: 500_000, maxDepth: depthLimit },
    });
    return { value, duplicates: () => [] };
  } catch (error) {
    throw apiError.badRequest(yamlProblem(error));
  }
}

/** In the words of Go's YAML library where it has some. */
function yamlProblem(error: unknown): string {
  const goText = isAppError(error) ? (error.detail as { readonly goText?: string }).goText : undefined;
  return goText ?? `yaml: ${textOf(error)}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What an object is has to be said in texts. */
function refuseIdentity(value: Readonly<Record<string, unknown>>): void {
  for (const name of ["apiVersion", "kind"]) {
    const found = value[name];
    if (found === undefined || found === null || typeof found === "string") continue;
    throw noJson(`json: cannot unmarshal ${goKind(found)} into Go struct field .${name} of type string`);
  }
  const { apiVersion } = value;
  if (typeof apiVersion === "string" && apiVersion.split("/").length > 2) {
    throw apiError.badRequest(`unexpected GroupVersion string: ${apiVersion}`);
  }
}

/** A body as fields; that of `null` has none. Throws 400. */
export function asFields(body: unknown): Readonly<Record<string, unknown>> {
  const value = body ?? {};
  if (isRecord(value)) return value;
  const type = `struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
  throw noJson(`json: cannot unmarshal ${goKind(value)} into Go value of type ${type}`);
}

/** What Go calls the type of a JSON value. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** A body as fields that say what they are, if anything, in texts. Throws 400. */
export function asIdentified(body: unknown): Readonly<Record<string, unknown>> {
  const value = asFields(body);
  refuseIdentity(value);
  return value;
}

/** A body as an object with `metadata`. Throws 400. */
export function asObject(body: unknown, expected = "object"): AnyObject {
  const value = asIdentified(body);
  const { metadata, kind = expected, apiVersion = "v1" } = value;
  if (metadata !== undefined && metadata !== null && !isRecord(metadata)) {
    throw apiError.badRequest(
      `${String(kind)} in version "${String(apiVersion).split("/").at(-1)}" cannot be handled as a ${String(kind)}: json: cannot unmarshal ${goKind(metadata)} into Go struct field ${String(kind)}.metadata of type v1.ObjectMeta`,
    );
  }
  return { ...value, metadata: metadata ?? {} } as unknown as AnyObject;
}
