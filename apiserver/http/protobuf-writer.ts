const lengthDelimited = 2;

/** Writes the wire format of protobuf: numbered fields, each a varint, eight bytes, or a length and bytes. */
export class ProtobufWriter {
  readonly #chunks: Uint8Array[] = [];

  /** A whole number, a boolean as 0 or 1; negative numbers take ten bytes, as `int64` does. */
  integer(field: number, value: number | bigint): void {
    this.#chunks.push(varint(BigInt(field) << 3n), varint(BigInt.asUintN(64, BigInt(value))));
  }

  double(field: number, value: number): void {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleLE(value);
    this.#chunks.push(varint((BigInt(field) << 3n) | 1n), bytes);
  }

  text(field: number, value: string): void {
    this.bytes(field, Buffer.from(value));
  }

  bytes(field: number, value: Uint8Array): void {
    this.#chunks.push(varint((BigInt(field) << 3n) | BigInt(lengthDelimited)), varint(BigInt(value.byteLength)), value);
  }

  message(field: number, fill: (inner: ProtobufWriter) => void): void {
    const inner = new ProtobufWriter();
    fill(inner);
    this.bytes(field, inner.finish());
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}

function varint(value: bigint): Uint8Array {
  if (value < 0x80n) return Uint8Array.of(Number(value));
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
