import type { AnyObject } from "@kyma-operators/kube";
import { formatYaml } from "@kyma-operators/yaml";
import { ApiError, apiError } from "../api-error.ts";
import { negotiate, type Representation } from "../http/accept.ts";
import type { ApiResponse } from "../http/messages.ts";
import { apiVersionOf, type ServedResource } from "../resources/resource.ts";
import { tableOf } from "../tables/table.ts";
import type { Call } from "./call.ts";
import { formatProtobuf, hasProtobuf } from "./protobuf-write.ts";

const metaVersions = new Set(["v1", "v1beta1"]);
const transformed = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);

/** Which representation the client prefers for objects of a resource. */
export function representationFor({ request, resource }: Pick<Call, "request" | "resource">): Representation {
  return negotiate(request.headers.accept, ({ format, as, group, version }) => {
    if (format === "protobuf") return as === "" && hasProtobuf(apiVersionOf(resource), resource.kind);
    return group === "meta.k8s.io" && metaVersions.has(version) && transformed.has(as);
  });
}

/** Answers with one object in the representation the client asked for. */
export function respondObject(call: Call, status: number, object: AnyObject): ApiResponse {
  const representation = representationFor(call);
  return encode(status, shape(call, object, representation), {
    format: representation.format,
    warnings: call.warnings,
  });
}

function shape(call: Call, object: AnyObject, { as, version }: Representation): unknown {
  if (as === "Table") {
    return tableOf(call.resource, [object], {
      version,
      now: call.now,
      include: call.request.query.get("includeObject"),
    });
  }
  if (as === "PartialObjectMetadata") return partialMetadata(object, version);
  if (as === "PartialObjectMetadataList") throw apiError.notAcceptable(["application/json"]);
  return object;
}

/** Only identity and `metadata` of an object. */
export function partialMetadata(object: AnyObject, version = "v1"): AnyObject {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

export interface EncodeOptions {
  readonly format?: Representation["format"];
  readonly warnings?: readonly string[];
}

const mediaTypes = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
} as const;

/** An answer in the given format, with `Warning` headers. In protobuf only objects and lists of built-in kinds. */
export function encode(
  status: number,
  value: unknown,
  { format = "json", warnings = [] }: EncodeOptions = {},
): ApiResponse {
  return {
    status,
    headers: {
      "content-type": mediaTypes[format],
      "cache-control": "no-cache, private",
      ...warningHeader(warnings),
    },
    body: textIn(format, value),
  };
}

function textIn(format: Representation["format"], value: unknown): string | Uint8Array {
  if (format === "protobuf") return formatProtobuf(value as AnyObject);
  if (format === "yaml") return formatYaml(value);
  return `${typeof value === "string" ? value : JSON.stringify(value)}\n`;
}

function warningHeader(warnings: readonly string[]): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {};
  const texts = [...new Set(warnings)].map((text) => `299 - ${quoted(text)}`);
  return { warning: texts.join(", ") };
}

/** A quoted string of HTTP: ASCII without control characters. */
function quoted(text: string): string {
  const clean = text.replaceAll(/[^\x20-\x7e]/g, "?").replaceAll(/["\\]/g, "\\$&");
  return `"${clean}"`;
}

/** The Status answer of any thrown value. What is not a refusal is a fault of ours: 500 without its inner text. */
export function respondError(error: unknown, warnings: readonly string[] = []): ApiResponse {
  const known = error instanceof ApiError ? error : apiError.internal("the request failed unexpectedly", error);
  const retryAfter = known.details?.retryAfterSeconds;
  const response = encode(known.code, known.status(), { warnings });
  if (retryAfter === undefined) return response;
  return { ...response, headers: { ...response.headers, "retry-after": String(retryAfter) } };
}

/** Success without an object. */
export function successStatus(resource: ServedResource, object: AnyObject): AnyObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name: object.metadata.name,
      ...(resource.group === "" ? {} : { group: resource.group }),
      kind: resource.plural,
      uid: object.metadata.uid,
    },
  };
}
