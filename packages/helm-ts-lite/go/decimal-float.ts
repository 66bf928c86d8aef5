import { formatExponent, placePoint, shortestDigits } from "./float.ts";

/** The exact decimal digits of a float64 and the exponent of the first one. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

const view = new DataView(new ArrayBuffer(8));

/** Mantissa and power of two of a finite positive number: value = mantissa × 2^power. */
export function decompose(value: number): { mantissa: bigint; power: number } {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0) & 0x7fff_ffff_ffff_ffffn;
  const biased = Number(bits >> 52n);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  return biased === 0
    ? { mantissa: fraction, power: -1074 }
    : { mantissa: fraction | (1n << 52n), power: biased - 1075 };
}

function exactDecimal(value: number): Decimal {
  const { mantissa, power } = decompose(value);
  if (mantissa === 0n) return { digits: "0", exponent: 0 };
  const digits = power >= 0 ? (mantissa << BigInt(power)).toString() : (mantissa * 5n ** BigInt(-power)).toString();
  return { digits, exponent: digits.length - 1 + Math.min(0, power) };
}

/** Keeps `count` digits, rounding half to even. */
function roundDigits(decimal: Decimal, count: number): Decimal {
  const { digits, exponent } = decimal;
  if (count < 0) return { digits: "0", exponent: 0 };
  if (count >= digits.length) return { digits: digits.padEnd(count, "0"), exponent };
  const kept = digits.slice(0, count);
  const rest = digits.slice(count);
  const half = `5${"0".repeat(rest.length - 1)}`;
  const odd = count > 0 && Number(kept.charAt(count - 1)) % 2 === 1;
  if (rest < half || (rest === half && !odd))
    return count === 0 ? { digits: "0", exponent: 0 } : { digits: kept, exponent };
  const raised = (BigInt(kept === "" ? "0" : kept) + 1n).toString();
  return raised.length > count
    ? { digits: raised.slice(0, Math.max(1, count)), exponent: exponent + 1 }
    : { digits: raised, exponent };
}

/** `%e` with a precision, without a sign. */
export function formatScientific(value: number, precision: number): string {
  const { digits, exponent } = precision < 0 ? shortestDigits(value) : roundDigits(exactDecimal(value), precision + 1);
  const rest = digits.slice(1);
  return `${digits.charAt(0)}${rest === "" ? "" : `.${rest}`}e${formatExponent(exponent)}`;
}

/** `%f` with a precision, without a sign. */
export function formatFixed(value: number, precision: number): string {
  if (precision < 0) {
    const { digits, exponent } = shortestDigits(value);
    return placePoint(digits, exponent);
  }
  const exact = exactDecimal(value);
  const rounded = roundDigits(exact, exact.exponent + 1 + precision);
  if (rounded.digits === "0" && rounded.exponent === 0) return precision === 0 ? "0" : `0.${"0".repeat(precision)}`;
  const [whole = "0", fraction = ""] = placePoint(rounded.digits, rounded.exponent).split(".");
  return precision === 0 ? whole : `${whole}.${fraction.padEnd(precision, "0").slice(0, precision)}`;
}

/** `%g`: `%e` for exponents below -4 or from the precision on, else `%f`; no trailing zeros. */
export function formatGeneral(value: number, precision: number): string {
  const wanted = Math.max(1, precision);
  const rounded = precision < 0 ? shortestDigits(value) : roundDigits(exactDecimal(value), wanted);
  const digits = rounded.digits.replace(/0+$/, "") || "0";
  const { exponent } = rounded;
  const limit = precision < 0 ? 6 : generalLimit(wanted, digits.length, exponent);
  if (exponent >= -4 && exponent < limit) return placePoint(digits, exponent);
  return `${digits.charAt(0)}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${formatExponent(exponent)}`;
}

/** The precision counts less when all digits stand before the point. */
function generalLimit(wanted: number, digits: number, exponent: number): number {
  return wanted > digits && digits >= exponent + 1 ? digits : wanted;
}

/** `%x`: hexadecimal mantissa, binary exponent. */
export function formatHexFloat(value: number, precision: number): string {
  if (value === 0) return `0x0${precision > 0 ? `.${"0".repeat(precision)}` : ""}p+00`;
  let { mantissa, power } = decompose(value);
  while (mantissa < 1n << 52n) {
    mantissa <<= 1n;
    power--;
  }
  power += 52;
  let bits = mantissa << 8n;
  if (precision >= 0 && precision < 15) bits = roundHex(bits, precision);
  if (bits >= 1n << 61n) {
    bits >>= 1n;
    power++;
  }
  const fraction = (bits & ((1n << 60n) - 1n)).toString(16).padStart(15, "0");
  const shown = precision < 0 ? fraction.replace(/0+$/, "") : fraction.padEnd(precision, "0").slice(0, precision);
  return `0x1${shown === "" ? "" : `.${shown}`}p${formatExponent(power)}`;
}

function roundHex(bits: bigint, precision: number): bigint {
  const shift = BigInt(60 - precision * 4);
  const extra = bits & ((1n << shift) - 1n);
  const half = 1n << (shift - 1n);
  const kept = bits >> shift;
  const up = extra > half || (extra === half && (kept & 1n) === 1n);
  return (up ? kept + 1n : kept) << shift;
}

/** `%b`: decimal mantissa and binary exponent. */
export function formatBinaryFloat(value: number): string {
  const { mantissa, power } = decompose(value);
  return `${mantissa}p${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}
