import { fail, OpaqueValue } from "../values.ts";
import { asInt } from "./operators.ts";
import { declare } from "./registry.ts";

/** A number of a resource, for example `1.5Gi`: `unscaled` × 10^`scale`. */
class Quantity extends OpaqueValue {
  readonly typeName = "kubernetes.Quantity";
  readonly unscaled: bigint;
  readonly scale: number;
  /** Kubernetes keeps small numbers as integers and others as decimals; only the former can be read as integers. */
  readonly small: boolean;

  constructor(unscaled: bigint, scale: number, small: boolean) {
    super();
    this.unscaled = unscaled;
    this.scale = scale;
    this.small = small;
  }

  toString(): string {
    return `${this.unscaled}e${this.scale}`;
  }

  override identity(): string {
    return String(this.nanos());
  }

  /** The value times 10^9. */
  nanos(): bigint {
    const power = this.scale + 9;
    return power >= 0 ? this.unscaled * 10n ** BigInt(power) : this.unscaled / 10n ** BigInt(-power);
  }

  asInteger(): bigint | undefined {
    if (!this.small || this.scale < 0) return undefined;
    const value = this.unscaled * 10n ** BigInt(this.scale);
    return value < 1n << 63n && value >= -(1n << 63n) ? value : undefined;
  }
}

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffixes = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const wanted = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function readQuantity(text: string): Quantity | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([A-Za-z]*)([+-]?\d*)$/.exec(text);
  if (match === null) return undefined;
  const [sign, whole, fraction, suffix, exponent] = match.slice(1).map((part) => part ?? "") as Parts;
  if (whole + fraction === "") return undefined;
  const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) return exponent === "" ? binaryQuantity(digits, fraction, whole, binary + 1) : undefined;
  const power = powerOf(suffix, exponent);
  const small = whole.length + fraction.length <= 18;
  return power === undefined ? undefined : new Quantity(digits, power - fraction.length, small);
}

/** Sign, whole part, fraction, suffix, exponent. */
type Parts = [string, string, string, string, string];

function binaryQuantity(digits: bigint, fraction: string, whole: string, step: number): Quantity {
  const small = fraction === "" && 15 - whole.length - Math.floor(step * 3) - 1 >= 0;
  return new Quantity(digits * 1024n ** BigInt(step), -fraction.length, small);
}

function powerOf(suffix: string, exponent: string): number | undefined {
  if (exponent === "") return Object.hasOwn(decimalSuffixes, suffix) ? decimalSuffixes[suffix] : undefined;
  const power = Number(exponent);
  // Beyond this no quantity of Kubernetes reaches; a larger power would only cost memory.
  return /^[eE]$/.test(suffix) && Math.abs(power) <= 100 ? power : undefined;
}

const parse = (text: string): Quantity => readQuantity(text) ?? fail(wanted);
const fromInt = (value: bigint): Quantity => new Quantity(value, 0, true);

function add(a: Quantity, b: Quantity): Quantity {
  const scale = Math.min(a.scale, b.scale);
  const rescale = (quantity: Quantity): bigint => quantity.unscaled * 10n ** BigInt(quantity.scale - scale);
  return new Quantity(rescale(a) + rescale(b), scale, a.small && b.small);
}

const negative = ({ unscaled, scale, small }: Quantity): Quantity => new Quantity(-unscaled, scale, small);

function compare(a: Quantity, b: Quantity): bigint {
  const difference = add(a, negative(b)).unscaled;
  if (difference === 0n) return 0n;
  return difference < 0n ? -1n : 1n;
}

export const quantities = declare({
  "quantity(string): Quantity": parse,
  "isQuantity(string): bool": (text: string) => readQuantity(text) !== undefined,
  "Quantity.sign(): int": (quantity: Quantity) => compare(quantity, fromInt(0n)),
  "Quantity.isInteger(): bool": (quantity: Quantity) => quantity.asInteger() !== undefined,
  "Quantity.asInteger(): int": (quantity: Quantity) =>
    asInt(quantity.asInteger() ?? fail("cannot convert value to integer")),
  "Quantity.asApproximateFloat(): double": ({ unscaled, scale }: Quantity) => Number(`${unscaled}e${scale}`),
  "Quantity.add(Quantity): Quantity": add,
  "Quantity.add(int): Quantity": (a: Quantity, b: bigint) => add(a, fromInt(b)),
  "Quantity.sub(Quantity): Quantity": (a: Quantity, b: Quantity) => add(a, negative(b)),
  "Quantity.sub(int): Quantity": (a: Quantity, b: bigint) => add(a, fromInt(-b)),
  "Quantity.isLessThan(Quantity): bool": (a: Quantity, b: Quantity) => compare(a, b) < 0n,
  "Quantity.isGreaterThan(Quantity): bool": (a: Quantity, b: Quantity) => compare(a, b) > 0n,
  "Quantity.compareTo(Quantity): int": compare,
});
