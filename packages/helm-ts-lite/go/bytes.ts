import { isUtf8 } from "node:buffer";

/**
 * Go's texts are bytes, ours are UTF-16. A byte that is no part of valid UTF-8 (a character cut in half by `trunc`)
 * is kept as the lone surrogate U+DC00 + byte, so that halves put together again give the character back.
 */
const escapeBase = 0xdc00;

const beyondAscii = /[\u0080-\uffff]/;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** True when every character is one byte, so that offsets in bytes and in UTF-16 units are the same. */
export function isAscii(text: string): boolean {
  return !beyondAscii.test(text);
}

/** True when the text holds bytes that are not UTF-8. */
export function hasRawBytes(text: string): boolean {
  return !text.isWellFormed();
}

/** The bytes of a text, those that are not UTF-8 included. */
export function toBytes(text: string): Buffer {
  if (!hasRawBytes(text)) return Buffer.from(text, "utf8");
  const parts: Buffer[] = [];
  for (const part of text.split(/((?<![\ud800-\udbff])[\udc80-\udcff])/)) {
    const code = part.length === 1 ? part.charCodeAt(0) : 0;
    parts.push(code >= 0xdc80 && code <= 0xdcff ? Buffer.from([code - escapeBase]) : Buffer.from(part, "utf8"));
  }
  return Buffer.concat(parts);
}

const decode = ({ buffer, byteOffset, byteLength: length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString("utf8");

/** The text of bytes; what is not UTF-8 becomes lone surrogates. */
export function fromBytes(bytes: Uint8Array): string {
  return isUtf8(bytes) ? decode(bytes) : decodeLoosely(bytes);
}

function decodeLoosely(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length; ) {
    const size = sequenceLength(bytes, index);
    text +=
      size === 0 ? String.fromCharCode(escapeBase + (bytes[index] ?? 0)) : decode(bytes.subarray(index, index + size));
    index += Math.max(1, size);
  }
  return text;
}

const sizes: readonly (readonly [limit: number, size: number])[] = [
  [0x80, 1],
  [0xc2, 0],
  [0xe0, 2],
  [0xf0, 3],
  [0xf5, 4],
];

/** Length of the valid UTF-8 sequence at `index`, or 0. */
function sequenceLength(bytes: Uint8Array, index: number): number {
  const first = bytes[index] ?? 0;
  const size = sizes.find(([limit]) => first < limit)?.[1] ?? 0;
  if (size <= 1 || index + size > bytes.length) return size === 1 ? 1 : 0;
  const rest = bytes.subarray(index + 1, index + size);
  return rest.every((byte) => (byte & 0xc0) === 0x80) && validSecond(first, rest[0] ?? 0) ? size : 0;
}

/** Excludes overlong forms, surrogates and what lies beyond U+10FFFF. */
function validSecond(first: number, second: number): boolean {
  if (first === 0xe0) return second >= 0xa0;
  if (first === 0xed) return second < 0xa0;
  if (first === 0xf0) return second >= 0x90;
  return first !== 0xf4 || second < 0x90;
}

/** Number of bytes. */
export function byteLength(text: string): number {
  return hasRawBytes(text) ? toBytes(text).length : Buffer.byteLength(text, "utf8");
}

/** Cuts at byte offsets; may cut characters in half. */
export function sliceBytes(text: string, start: number, end?: number): string {
  if (isAscii(text)) return text.slice(start, end);
  return fromBytes(toBytes(text).subarray(start, end));
}

/** Joins halves of characters that came together again, so that equal bytes are equal texts. */
export function normalizeText(text: string): string {
  return hasRawBytes(text) ? fromBytes(toBytes(text)) : text;
}

/** Puts something in the place of each byte that is not UTF-8. */
export function replaceRawBytes(text: string, replacement: string): string {
  return hasRawBytes(text) ? text.replace(new RegExp(loneSurrogate, "g"), replacement) : text;
}

/** Bytes that are not UTF-8 become U+FFFD, which is what Go's loops over characters see. */
export function toValidText(text: string): string {
  return text.toWellFormed();
}

const leads: readonly (readonly [mask: number, lead: number, width: number, smallest: number])[] = [
  [0xe0, 0xc0, 2, 0x80],
  [0xf0, 0xe0, 3, 0x800],
  [0xf8, 0xf0, 4, 0x10000],
];

/** What is wrong with the byte sequence at the start. */
function sequenceFault(bytes: Uint8Array): string {
  const [first = 0] = bytes;
  const [, , width = 0, smallest = 0] = leads.find(([mask, lead]) => (first & mask) === lead) ?? [];
  if (width === 0) return "invalid leading UTF-8 octet";
  if (width > bytes.length) return "incomplete UTF-8 octet sequence";
  const rest = bytes.subarray(1, width);
  if (!rest.every((byte) => (byte & 0xc0) === 0x80)) return "invalid trailing UTF-8 octet";
  const code = rest.reduce((sum, byte) => sum * 64 + (byte & 0x3f), first & (0x7f >> width));
  return code < smallest ? "invalid length of a UTF-8 sequence" : "invalid Unicode character";
}

/** Where the first byte stands that is not UTF-8; -1 when all are. */
export function firstRawByte(text: string): number {
  return text.search(loneSurrogate);
}

/** What Go's YAML reader says about the first byte sequence that is not UTF-8. */
export function utf8Fault(text: string): string {
  const bytes = toBytes(text);
  let at = 0;
  for (let size = sequenceLength(bytes, 0); size > 0; size = sequenceLength(bytes, at)) at += size;
  return sequenceFault(bytes.subarray(at));
}

/** Compares as Go does: by bytes. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  if (isAscii(a) && isAscii(b)) return a < b ? -1 : 1;
  return Buffer.compare(toBytes(a), toBytes(b));
}
