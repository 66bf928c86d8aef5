import { apiError } from "../api-error.ts";
import { type GoField, messageFields, messageName } from "../facts/go-types.ts";
import { systemClock } from "../system-clock.ts";

const magic = [0x6b, 0x38, 0x73, 0x00];
const depthLimit = 64;

/**
 * Reads an object of a built-in kind from `application/vnd.kubernetes.protobuf`, as client-go's typed clients send it:
 * the bytes `k8s\0` and a message with the kind and the object's own bytes.
 *
 * Throws 400 for anything else.
 */
export function parseProtobuf(body: Uint8Array): Record<string, unknown> {
  if (!magic.every((byte, index) => body[index] === byte)) {
    throw apiError.badRequest("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  const { typeMeta, raw } = readEnvelope(new Reader(body.subarray(magic.length)));
  const message = messageName(typeMeta.apiVersion, typeMeta.kind);
  if (messageFields(message) === undefined) {
    throw apiError.badRequest(
      `no kind "${typeMeta.kind}" is registered for version "${typeMeta.apiVersion}" in protobuf; send JSON`,
    );
  }
  return { ...typeMeta, ...readMessage(new Reader(raw), message, 0) };
}

interface Envelope {
  readonly typeMeta: { readonly apiVersion: string; readonly kind: string };
  readonly raw: Uint8Array;
}

function readEnvelope(reader: Reader): Envelope {
  let typeMeta = { apiVersion: "", kind: "" };
  let raw: Uint8Array = new Uint8Array(0);
  for (const { number, value } of reader.fields()) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === 1) {
      const texts = [...new Reader(value).fields()].map((field) => [field.number, text(field.value)] as const);
      typeMeta = { apiVersion: new Map(texts).get(1) ?? "", kind: new Map(texts).get(2) ?? "" };
    } else if (number === 2) raw = value;
  }
  return { typeMeta, raw };
}

function readMessage(reader: Reader, message: string, depth: number): Record<string, unknown> {
  if (depth > depthLimit) throw apiError.badRequest("the protobuf message is nested too deeply");
  const object: Record<string, unknown> = {};
  for (const { number, value } of reader.fields()) {
    const field = messageFields(message)?.find((candidate) => candidate.number === number);
    if (field === undefined) continue;
    addField(object, field, value, depth + 1);
  }
  return object;
}

function addField(
  object: Record<string, unknown>,
  { name, type, isPointer, omitEmpty }: GoField,
  value: WireValue,
  depth: number,
): void {
  if (name === "") Object.assign(object, readValue(type, value, depth));
  else if (type.startsWith("[]")) append(object, name, readValue(type.slice(2), value, depth));
  else if (type.startsWith("map[]")) addEntry(object, name, readEntry(type.slice(5), value, depth));
  else {
    const read = readValue(type, value, depth);
    if (read !== undefined && !(omitEmpty && !isPointer && isZero(read))) object[name] = read;
  }
}

const isZero = (value: unknown): boolean => value === "" || value === 0 || value === false;

function append(object: Record<string, unknown>, name: string, item: unknown): void {
  const list = object[name];
  if (Array.isArray(list)) list.push(item);
  else object[name] = [item];
}

function addEntry(object: Record<string, unknown>, name: string, [key, value]: readonly [string, unknown]): void {
  const map = (object[name] ?? {}) as Record<string, unknown>;
  // Defined, not assigned: `__proto__` is a key like any other.
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  object[name] = map;
}

function readEntry(type: string, value: WireValue, depth: number): readonly [string, unknown] {
  let key = "";
  let read: unknown = "";
  for (const field of new Reader(bytes(value)).fields()) {
    if (field.number === 1) key = text(field.value);
    else read = readValue(type, field.value, depth);
  }
  return [key, read];
}

type WireValue = bigint | Uint8Array;

const scalars: Readonly<Record<string, (value: WireValue) => unknown>> = {
  string: text,
  bytes: (value) => Buffer.from(bytes(value)).toString("base64"),
  bool: (value) => integer(value) !== 0,
  int: integer,
  int32: integer,
  int64: integer,
  double: (value) => Buffer.from(bytes(value)).readDoubleLE(0),
  quantity: (value) => text(fieldAt(value, 1) ?? new Uint8Array(0)),
  intOrString: (value) =>
    integer(fieldAt(value, 1) ?? 0n) === 1
      ? text(fieldAt(value, 3) ?? new Uint8Array(0))
      : integer(fieldAt(value, 2) ?? 0n),
  time: (value) => timeOf(value, 0),
  microTime: (value) => timeOf(value, 6),
  raw: (value) => JSON.parse(text(fieldAt(value, 1) ?? new Uint8Array(0)) || "null") as unknown,
};

function readValue(type: string, value: WireValue, depth: number): unknown {
  const scalar = scalars[type];
  if (scalar !== undefined) return scalar(value);
  const reader = new Reader(bytes(value));
  if (!type.startsWith("list:")) return readMessage(reader, type, depth);
  return [...reader.fields()].map((field) => readValue(type.slice(5), field.value, depth));
}

/** An empty message is the zero time, which JSON leaves out. */
function timeOf(value: WireValue, digits: 0 | 6): string | undefined {
  const seconds = fieldAt(value, 1);
  if (seconds === undefined) return undefined;
  const whole = systemClock
    .date(integer(seconds) * 1000)
    .toISOString()
    .slice(0, 19);
  const micros = Math.floor(integer(fieldAt(value, 2) ?? 0n) / 1000);
  return digits === 0 ? `${whole}Z` : `${whole}.${String(micros).padStart(digits, "0")}Z`;
}

function fieldAt(value: WireValue, wanted: number): WireValue | undefined {
  return [...new Reader(bytes(value)).fields()].find(({ number }) => number === wanted)?.value;
}

const decoder = new TextDecoder();

function text(value: WireValue): string {
  return decoder.decode(bytes(value));
}

function bytes(value: WireValue): Uint8Array {
  if (typeof value === "bigint") throw malformed();
  return value;
}

function integer(value: WireValue): number {
  if (typeof value !== "bigint") throw malformed();
  return Number(BigInt.asIntN(64, value));
}

function malformed(): Error {
  return apiError.badRequest("the body is no valid protobuf message of its kind");
}

/** Reads the wire format: numbered fields, each a varint, 8 or 4 bytes, or a length and bytes. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(source: Uint8Array) {
    this.#bytes = source;
  }

  *fields(): Generator<{ readonly number: number; readonly value: WireValue }> {
    while (this.#at < this.#bytes.byteLength) {
      const tag = this.#varint();
      yield { number: Number(tag >> 3n), value: this.#value(Number(tag & 7n)) };
    }
  }

  #value(wireType: number): WireValue {
    if (wireType === 0) return this.#varint();
    if (wireType === 1) return this.#take(8);
    if (wireType === 2) return this.#take(Number(this.#varint()));
    if (wireType === 5) return this.#take(4);
    throw malformed();
  }

  #take(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.byteLength) throw malformed();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw malformed();
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw malformed();
  }
}
