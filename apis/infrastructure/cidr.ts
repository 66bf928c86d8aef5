/** An IPv4 network as a range of numbers: `first` address and `size`, a power of two. */
export interface Range {
  readonly first: number;
  readonly size: number;
  readonly prefix: number;
}

const pattern = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/;

/** Reads an IPv4 network in CIDR notation. Undefined for anything else, host bits and leading zeros included. */
export function parseNetwork(text: string): Range | undefined {
  const numbers = pattern.exec(text)?.slice(1).map(Number) ?? [];
  const prefix = numbers.at(4);
  if (prefix === undefined || prefix > 32) return undefined;
  const bytes = numbers.slice(0, 4);
  const first = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const size = 2 ** (32 - prefix);
  const canonical = `${bytes.join(".")}/${prefix}` === text && bytes.every((byte) => byte <= 255);
  return canonical && first % size === 0 ? { first, size, prefix } : undefined;
}

/** True when the networks share an address. */
export function overlaps(a: Range, b: Range): boolean {
  return a.first < b.first + b.size && b.first < a.first + a.size;
}
