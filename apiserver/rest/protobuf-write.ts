import type { AnyObject } from "@kyma-operators/kube";
import { type GoField, messageFields, messageName } from "../facts/go-types.ts";
import { ProtobufWriter } from "../http/protobuf-writer.ts";
import { isFields } from "../resources/kinds/edit.ts";
import { parseTimestamp } from "../system-clock.ts";

const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** Whether objects of this kind, or lists of them, can be answered in protobuf: built-in kinds can. */
export function hasProtobuf(apiVersion: string, kind: string): boolean {
  return messageFields(messageName(apiVersion, kind)) !== undefined;
}

/** An object or list of a built-in kind as `application/vnd.kubernetes.protobuf`; the opposite of `parseProtobuf`. */
export function formatProtobuf(object: Pick<AnyObject, "apiVersion" | "kind">): Uint8Array {
  const { apiVersion, kind } = object;
  const message = new ProtobufWriter();
  writeMessage(message, messageName(apiVersion, kind), object);
  const envelope = new ProtobufWriter();
  envelope.message(1, (typeMeta) => {
    typeMeta.text(1, apiVersion);
    typeMeta.text(2, kind);
  });
  envelope.bytes(2, message.finish());
  return Buffer.concat([magic, envelope.finish()]);
}

function writeMessage(writer: ProtobufWriter, message: string, value: unknown): void {
  if (!isFields(value)) return;
  for (const field of messageFields(message) ?? []) writeField(writer, field, value);
}

function writeField(writer: ProtobufWriter, { name, number, type }: GoField, owner: Readonly<Record<string, unknown>>) {
  if (name === "") {
    writeValue(writer, number, type, owner);
    return;
  }
  const value = Object.hasOwn(owner, name) ? owner[name] : undefined;
  if (value === undefined || value === null) return;
  if (type.startsWith("[]")) writeItems(writer, number, type.slice(2), value);
  else if (type.startsWith("map[]")) writeEntries(writer, number, type.slice(5), value);
  else writeValue(writer, number, type, value);
}

function writeItems(writer: ProtobufWriter, number: number, type: string, value: unknown): void {
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : []) writeValue(writer, number, type, item);
}

function writeEntries(writer: ProtobufWriter, number: number, type: string, value: unknown): void {
  for (const [key, item] of Object.entries(isFields(value) ? value : {})) {
    writer.message(number, (entry) => {
      entry.text(1, key);
      writeValue(entry, 2, type, item);
    });
  }
}

type WriteScalar = (writer: ProtobufWriter, number: number, value: unknown) => void;

const integer: WriteScalar = (writer, number, value) => writer.integer(number, BigInt(Math.trunc(Number(value))));
const time: WriteScalar = (writer, number, value) => {
  const moment = parseTimestamp(value);
  if (moment === undefined) return;
  const fraction = /\.(\d+)/.exec(String(value))?.[1] ?? "";
  writer.message(number, (inner) => {
    integer(inner, 1, Math.floor(moment / 1000));
    integer(inner, 2, fraction.padEnd(9, "0").slice(0, 9));
  });
};

const scalars: Readonly<Record<string, WriteScalar>> = {
  string: (writer, number, value) => writer.text(number, String(value)),
  bytes: (writer, number, value) => writer.bytes(number, Buffer.from(String(value), "base64")),
  bool: (writer, number, value) => writer.integer(number, value === true ? 1 : 0),
  int: integer,
  int32: integer,
  int64: integer,
  double: (writer, number, value) => writer.double(number, Number(value)),
  quantity: (writer, number, value) => writer.message(number, (inner) => inner.text(1, String(value))),
  intOrString: (writer, number, value) =>
    writer.message(number, (inner) => {
      integer(inner, 1, typeof value === "string" ? 1 : 0);
      if (typeof value === "string") inner.text(3, value);
      else integer(inner, 2, value);
    }),
  time,
  microTime: time,
  raw: (writer, number, value) => writer.message(number, (inner) => inner.text(1, JSON.stringify(value))),
};

function writeValue(writer: ProtobufWriter, number: number, type: string, value: unknown): void {
  const scalar = scalars[type];
  if (scalar !== undefined) scalar(writer, number, value);
  else if (type.startsWith("list:")) writer.message(number, (inner) => writeItems(inner, 1, type.slice(5), value));
  else writer.message(number, (inner) => writeMessage(inner, type, value));
}
