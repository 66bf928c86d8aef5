/** Go's integer types that a chart can meet. */
export type IntType = "int" | "int64" | "uint8" | "int32" | "time.Month" | "time.Weekday" | "time.Duration";

/** An integer of one of Go's types. A plain JavaScript number stands for a float64, so integers need their own class. */
export class Int {
  readonly type: IntType;
  readonly value: bigint;

  constructor(type: IntType, value: bigint) {
    this.type = type;
    this.value = value;
  }

  toString(): string {
    return this.value.toString();
  }
}

const smallCount = 1024;
const small = {
  int: Array.from({ length: smallCount }, (_, value) => new Int("int", BigInt(value))),
  int64: Array.from({ length: smallCount }, (_, value) => new Int("int64", BigInt(value))),
};

function make(type: "int" | "int64", value: number | bigint): Int {
  const index = Number(value);
  const cached = index >= 0 && index < smallCount ? small[type][index] : undefined;
  return cached ?? new Int(type, BigInt.asIntN(64, typeof value === "bigint" ? value : BigInt(value)));
}

/** Go's `int`; wraps around at 64 bits. A number must be whole. */
export function int(value: number | bigint): Int {
  return make("int", value);
}

/** Go's `int64`; wraps around at 64 bits. A number must be whole. */
export function int64(value: number | bigint): Int {
  return make("int64", value);
}

export const minInt64 = -(2n ** 63n);
export const maxInt64 = 2n ** 63n - 1n;
