import { isIP } from "node:net";
import { named, unless } from "./checks.ts";

/** An address of IPv4 or IPv6. */
export const address = unless(
  (value) => isIP(String(value)) !== 0,
  "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
);

interface Block {
  readonly bits: bigint;
  readonly prefix: number;
  readonly size: number;
}

/** A network as bits; `undefined` for what is none. */
function parseBlock(text: string): Block | undefined {
  const [host = "", length = "", ...rest] = text.split("/");
  const family = isIP(host);
  const size = family === 4 ? 32 : 128;
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > size) return undefined;
  return {
    bits: family === 4 ? bitsOf(host.split(".").map(Number), 8n) : bitsOf(groupsOf(host), 16n),
    prefix: Number(length),
    size,
  };
}

const bitsOf = (parts: readonly number[], width: bigint): bigint =>
  parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);

/** The eight groups of an IPv6 address. */
function groupsOf(host: string): readonly number[] {
  const plain = host.replace(/\d+\.\d+\.\d+\.\d+$/, (dotted) => {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = "", tail] = plain.split("::");
  const groups = (text: string): readonly number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [left, right] = [groups(head), groups(tail ?? "")];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

const blockText = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** A network without bits beyond its prefix. */
export const block = named((text) => {
  const found = parseBlock(text);
  if (found === undefined) return [blockText];
  const rest = BigInt(found.size - found.prefix);
  return (found.bits >> rest) << rest === found.bits ? [] : ["must not have bits set beyond the prefix length"];
});

/** Whether a network lies in another one and is smaller; true when either is none. */
export function isInside(inner: unknown, outer: unknown): boolean {
  const [a, b] = [parseBlock(String(inner)), parseBlock(String(outer))];
  if (a === undefined || b === undefined) return true;
  const rest = BigInt(b.size - b.prefix);
  return a.size === b.size && a.prefix > b.prefix && a.bits >> rest === b.bits >> rest;
}
