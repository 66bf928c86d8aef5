const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimal = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const nanosPerUnit = 1_000_000_000n;
const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d{1,3})?$/;

interface Parsed {
  /** Billionths, which is as fine as Kubernetes keeps them. */
  readonly nanos: bigint;
  readonly format: "binary" | "decimal" | "exponent";
}

/** Whether Kubernetes reads this as a quantity. */
export function isQuantity(value: unknown): boolean {
  return parseQuantity(value) !== undefined;
}

/** The one way in which Kubernetes writes a quantity: `1000m` is `1`, `1024Mi` is `1Gi`. Anything else stays as it is. */
export function canonicalQuantity(value: unknown): unknown {
  const parsed = parseQuantity(value);
  if (parsed === undefined) return value;
  // A binary suffix is for whole numbers from 1024 on; the rest is written in decimals.
  const isBinary =
    parsed.format === "binary" && parsed.nanos % nanosPerUnit === 0n && abs(parsed.nanos) >= 1024n * nanosPerUnit;
  if (isBinary) return withSuffix(parsed.nanos / nanosPerUnit, 1024n, binary);
  return parsed.format === "exponent" ? exponential(parsed.nanos) : withSuffix(parsed.nanos, 1000n, decimal);
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

/** Takes out the factor as often as it goes without a rest. */
function withSuffix(value: bigint, factor: bigint, suffixes: readonly string[]): string {
  if (value === 0n) return "0";
  let rest = value;
  let index = 0;
  while (index < suffixes.length - 1 && rest % factor === 0n) {
    rest /= factor;
    index += 1;
  }
  return `${rest}${suffixes[index]}`;
}

function exponential(nanos: bigint): string {
  if (nanos === 0n) return "0";
  let rest = nanos;
  let exponent = -9;
  while (rest % 1000n === 0n) {
    rest /= 1000n;
    exponent += 3;
  }
  return exponent === 0 ? String(rest) : `${rest}e${exponent}`;
}

function parseQuantity(value: unknown): Parsed | undefined {
  const text = typeof value === "number" ? String(value) : value;
  const match = typeof text === "string" && text.length <= 64 ? pattern.exec(text) : null;
  return match === null ? undefined : amountOf(match);
}

function amountOf([, sign, whole = "", fraction = "", suffix = ""]: RegExpExecArray): Parsed | undefined {
  if (whole + fraction === "") return undefined;
  const { factor, divisor, format } = scaleOf(suffix);
  const digits = BigInt(whole + fraction) * factor * nanosPerUnit;
  const scale = 10n ** BigInt(fraction.length) * divisor;
  // What is finer than a billionth is rounded up, away from zero.
  const nanos = (digits + scale - 1n) / scale;
  return { nanos: sign === "-" ? -nanos : nanos, format };
}

function scaleOf(suffix: string): {
  readonly factor: bigint;
  readonly divisor: bigint;
  readonly format: Parsed["format"];
} {
  if (/^[eE]./.test(suffix)) {
    const power = Number(suffix.slice(1));
    const scale = 10n ** BigInt(Math.abs(power));
    return { factor: power < 0 ? 1n : scale, divisor: power < 0 ? scale : 1n, format: "exponent" };
  }
  const power = binary.indexOf(suffix);
  if (power > 0) return { factor: 1024n ** BigInt(power), divisor: 1n, format: "binary" };
  const thousands = decimal.indexOf(suffix) - 3;
  const scale = 1000n ** BigInt(Math.abs(thousands));
  return { factor: thousands < 0 ? 1n : scale, divisor: thousands < 0 ? scale : 1n, format: "decimal" };
}

/** Negative, zero or positive as with `a - b`; what is no quantity is equal to everything. */
export function compareQuantities(a: unknown, b: unknown): number {
  const left = parseQuantity(a)?.nanos;
  const right = parseQuantity(b)?.nanos;
  if (left === undefined || right === undefined || left === right) return 0;
  return left < right ? -1 : 1;
}
