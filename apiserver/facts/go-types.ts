import { messagesJson } from "./generated/protobuf.ts";

/** One field of the Go type behind a built-in kind. */
export interface GoField {
  /** On the wire of protobuf. */
  readonly number: number;
  /** In JSON; empty: the type's own fields stand in the parent. */
  readonly name: string;
  /** `string`, `int`, `bool`, `time`, `quantity` …, or the name of a message; `[]` and `map[]` before it. */
  readonly type: string;
  readonly isPointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
}

type RawField = readonly [number: number, name: string, type: string, flags?: number];

let raw: Readonly<Record<string, readonly RawField[]>> | undefined;
const messages = new Map<string, readonly GoField[]>();

/** The fields of a message; `undefined` when there is none of that name. */
export function messageFields(message: string): readonly GoField[] | undefined {
  const known = messages.get(message);
  if (known !== undefined) return known;
  raw ??= JSON.parse(messagesJson) as Record<string, readonly RawField[]>;
  const fields = Object.hasOwn(raw, message) ? raw[message]?.map(fieldOf) : undefined;
  if (fields !== undefined) messages.set(message, fields);
  return fields;
}

function fieldOf([number, name, type, flags = 0]: RawField): GoField {
  return {
    number,
    name,
    type,
    omitEmpty: (flags & 1) !== 0,
    isPointer: (flags & 2) !== 0,
    omitZero: (flags & 4) !== 0,
  };
}

/** `apps/v1` and `Deployment` are the message `apps/v1.Deployment`; options of requests belong to `meta/v1`. */
export function messageName(apiVersion: string, kind: string): string {
  if (kind === "DeleteOptions") return "meta/v1.DeleteOptions";
  const [group = "", version] = apiVersion.split("/");
  return version === undefined ? `core/${group}.${kind}` : `${group.split(".")[0]}/${version}.${kind}`;
}
