import { apiError } from "../api-error.ts";

/** How the client wants the answer. */
export interface Representation {
  readonly format: "json" | "yaml" | "protobuf";
  /** `Table`, `PartialObjectMetadata`, `PartialObjectMetadataList`, `APIGroupDiscoveryList`; empty: the object itself. */
  readonly as: string;
  readonly group: string;
  readonly version: string;
}

const formats = new Map<string, Representation["format"]>(
  Object.entries({
    "application/json": "json",
    "application/yaml": "yaml",
    "application/vnd.kubernetes.protobuf": "protobuf",
    "*/*": "json",
  } as const),
);
/** What Kubernetes says it offers. */
const known = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];
const plain: Representation = { format: "json", as: "", group: "", version: "" };

interface Accepted extends Representation {
  readonly quality: number;
}

/**
 * The first representation of an `Accept` header that the caller can give, in the client's order of preference; protobuf
 * only where nothing else is accepted, since objects are kept as JSON.
 *
 * Throws 406 when there is none.
 */
export function negotiate(header: string | undefined, offered: (wanted: Representation) => boolean): Representation {
  if (header === undefined || header === "") return plain;
  const wanted = header
    .split(",")
    .map(parseAccepted)
    .filter((accepted) => accepted !== undefined)
    .sort((a, b) => isProtobuf(a) - isProtobuf(b) || b.quality - a.quality)
    .find((accepted) => (accepted.as === "" && accepted.format !== "protobuf") || offered(accepted));
  if (wanted === undefined) throw apiError.notAcceptable(known);
  return wanted;
}

const isProtobuf = ({ format }: Representation): number => Number(format === "protobuf");

function parseAccepted(text: string): Accepted | undefined {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim());
  const format = formats.get(type.toLowerCase());
  if (format === undefined) return undefined;
  const values = new Map<string, string>(parameters.map(splitParameter));
  const quality = Number(values.get("q") ?? 1);
  return {
    format,
    as: values.get("as") ?? "",
    group: values.get("g") ?? "",
    version: values.get("v") ?? "",
    quality: Number.isNaN(quality) ? 0 : quality,
  };
}

function splitParameter(parameter: string): [string, string] {
  const [name = "", value = ""] = parameter.split("=");
  return [name, value];
}
