/** Writes and reads the few ASN.1 forms that keys and certificates need. */

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export function tagged(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthBytes(body.length), body]);
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => tagged(0x30, ...items);
export const set = (...items: readonly Uint8Array[]): Buffer => tagged(0x31, ...items);
export const octets = (content: Uint8Array): Buffer => tagged(0x04, content);
export const bits = (content: Uint8Array, unused = 0): Buffer => tagged(0x03, Buffer.from([unused]), content);
export const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));
export const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text, "utf8"));
export const nothing = Buffer.from([0x05, 0x00]);

/** A whole number that is not negative. */
export function integer(value: bigint | Uint8Array): Buffer {
  let hex = typeof value === "bigint" ? value.toString(16) : Buffer.from(value).toString("hex");
  if (hex.length % 2 === 1) hex = `0${hex}`;
  const bytes = Buffer.from(hex, "hex");
  // A leading one bit would make it negative.
  return tagged(0x02, ...((bytes[0] ?? 0) >= 0x80 ? [Buffer.from([0]), bytes] : [bytes]));
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes: number[] = [];
  for (const part of [first * 40 + second, ...rest]) {
    const group = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) group.unshift(0x80 | (left & 0x7f));
    bytes.push(...group);
  }
  return tagged(0x06, Buffer.from(bytes));
}

const two = (value: number): string => String(value).padStart(2, "0");

/** A time as certificates carry it: two-digit years up to 2049. */
export function time({
  year,
  month,
  day,
  hour,
  minute,
  second,
}: Readonly<Record<"year" | "month" | "day" | "hour" | "minute" | "second", number>>): Buffer {
  const rest = `${[month, day, hour, minute, second].map(two).join("")}Z`;
  if (year >= 1950 && year < 2050) return tagged(0x17, Buffer.from(two(year % 100) + rest));
  return tagged(0x18, Buffer.from(String(year).padStart(4, "0") + rest));
}

/** One element: its content, and what follows it. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly rest: Buffer;
}

export function readElement(data: Buffer): Element {
  const first = data[1] ?? 0;
  const count = first < 0x80 ? 0 : first & 0x7f;
  const length = count === 0 ? first : Number.parseInt(data.subarray(2, 2 + count).toString("hex") || "0", 16);
  const start = 2 + count;
  return { tag: data[0] ?? 0, content: data.subarray(start, start + length), rest: data.subarray(start + length) };
}

/** The elements of a sequence's content. */
export function readAll(content: Buffer): Element[] {
  const elements: Element[] = [];
  for (let rest = content; rest.length >= 2; ) {
    const element = readElement(rest);
    elements.push(element);
    rest = element.rest;
  }
  return elements;
}

export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
