import { toFloat64, toInt64 } from "../go/convert.ts";
import { shortestDigits } from "../go/float.ts";
import { int, int64 } from "../go/int.ts";
import type { GoValue } from "../go/values.ts";
import { GoError } from "../template/errors.ts";
import { type FuncTable, func, variadic } from "./define.ts";

/** A decimal number: coefficient × 10^exponent. */
interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** Quotients keep this many places after the point. */
const divisionPlaces = 16;

function toDecimal(value: GoValue): Decimal {
  const number = toFloat64(value);
  if (!Number.isFinite(number)) throw new GoError(`Cannot create a Decimal from ${number}`);
  const { digits, exponent } = shortestDigits(number);
  return { coefficient: BigInt(number < 0 ? `-${digits}` : digits), exponent: exponent - digits.length + 1 };
}

function toNumber({ coefficient, exponent }: Decimal): number {
  return Number(`${coefficient}e${exponent}`);
}

function rescale(value: Decimal, exponent: number): bigint {
  return value.coefficient * 10n ** BigInt(value.exponent - exponent);
}

function addDecimals(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent);
  return { coefficient: rescale(a, exponent) + rescale(b, exponent), exponent };
}

const negated = (value: Decimal): Decimal => ({ ...value, coefficient: -value.coefficient });

function multiply(a: Decimal, b: Decimal): Decimal {
  return { coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent };
}

const sizeOf = (value: bigint): bigint => (value < 0n ? -value : value);

/** Rounds half away from zero at the last place that is kept. */
function divide(a: Decimal, b: Decimal): Decimal {
  if (b.coefficient === 0n) throw new GoError("decimal division by 0");
  const shift = a.exponent - b.exponent + divisionPlaces;
  const numerator = shift >= 0 ? a.coefficient * 10n ** BigInt(shift) : a.coefficient;
  const denominator = shift >= 0 ? b.coefficient : b.coefficient * 10n ** BigInt(-shift);
  const quotient = numerator / denominator;
  const rest = sizeOf(numerator % denominator);
  const away = numerator < 0n === denominator < 0n ? 1n : -1n;
  return { coefficient: rest * 2n >= sizeOf(denominator) ? quotient + away : quotient, exponent: -divisionPlaces };
}

const fold = (combine: (a: Decimal, b: Decimal) => Decimal) => (first: GoValue, rest: readonly GoValue[]) =>
  toNumber(rest.reduce<Decimal>((sum, value) => combine(sum, toDecimal(value)), toDecimal(first)));

function divideInts(a: GoValue, b: GoValue): GoValue {
  return int64(toInt64(a) / nonZero(toInt64(b)));
}

function nonZero(value: bigint): bigint {
  if (value === 0n) throw new GoError("runtime error: integer divide by zero");
  return value;
}

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);

function round(value: GoValue, places: number, options: readonly number[]): number {
  const power = 10 ** places;
  const digit = power * toFloat64(value);
  const fraction = digit - Math.trunc(digit);
  return (fraction >= (options[0] ?? 0.5) ? Math.ceil(digit) : Math.floor(digit)) / power;
}

const largest = (first: GoValue, rest: readonly GoValue[]): GoValue =>
  int64(rest.map(toInt64).reduce((max, value) => (value > max ? value : max), toInt64(first)));
const smallest = (first: GoValue, rest: readonly GoValue[]): GoValue =>
  int64(rest.map(toInt64).reduce((min, value) => (value < min ? value : min), toInt64(first)));

export const mathFunctions: FuncTable = {
  int: func(["any"], (value) => int(toInt64(value))),
  int64: func(["any"], (value) => int64(toInt64(value))),
  float64: func(["any"], toFloat64),
  add: variadic([], "any", (values) => int64(values.reduce<bigint>((sum, value) => wrap(sum + toInt64(value)), 0n))),
  add1: func(["any"], (value) => int64(toInt64(value) + 1n)),
  sub: func(["any", "any"], (a, b) => int64(toInt64(a) - toInt64(b))),
  mul: variadic(["any"], "any", (first, rest) =>
    int64(rest.reduce<bigint>((product, value) => wrap(product * toInt64(value)), toInt64(first))),
  ),
  div: func(["any", "any"], divideInts),
  mod: func(["any", "any"], (a, b) => int64(toInt64(a) % nonZero(toInt64(b)))),
  addf: variadic([], "any", (values) => fold(addDecimals)(0, values)),
  add1f: func(["any"], (value) => fold(addDecimals)(value, [1])),
  subf: variadic(
    ["any"],
    "any",
    fold((a, b) => addDecimals(a, negated(b))),
  ),
  mulf: variadic(["any"], "any", fold(multiply)),
  divf: variadic(["any"], "any", fold(divide)),
  max: variadic(["any"], "any", largest),
  biggest: variadic(["any"], "any", largest),
  min: variadic(["any"], "any", smallest),
  maxf: variadic(["any"], "any", (first, rest) => Math.max(toFloat64(first), ...rest.map(toFloat64))),
  minf: variadic(["any"], "any", (first, rest) => Math.min(toFloat64(first), ...rest.map(toFloat64))),
  ceil: func(["any"], (value) => Math.ceil(toFloat64(value))),
  floor: func(["any"], (value) => Math.floor(toFloat64(value))),
  round: variadic(["any", "int"], "float64", round),
};
