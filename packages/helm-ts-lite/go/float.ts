/** Splits a finite number into shortest decimal digits and the exponent of the first one. */
export function shortestDigits(value: number): { digits: string; exponent: number } {
  const [mantissa = "0", power = "0"] = Math.abs(value).toExponential().split("e");
  return { digits: mantissa.replace(".", ""), exponent: Number(power) };
}

/** Go's exponent: a sign and at least two digits. */
export function formatExponent(exponent: number): string {
  return `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A float64 as `%v` prints it: shortest digits, scientific below 1e-4 and from `limit` decimal places on. */
export function formatFloat(value: number, limit = 6): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  return Number.isFinite(value) ? formatFinite(value, limit) : formatInfinite(value);
}

function formatInfinite(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

function formatFinite(value: number, limit: number): string {
  const sign = value < 0 ? "-" : "";
  const { digits, exponent } = shortestDigits(value);
  if (exponent >= -4 && exponent < limit) return sign + placePoint(digits, exponent);
  const rest = digits.length > 1 ? `.${digits.slice(1)}` : "";
  return `${sign}${digits.charAt(0)}${rest}e${formatExponent(exponent)}`;
}

/** Plain notation of digits whose first one stands at 10^exponent. */
export function placePoint(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const fraction = digits.slice(exponent + 1);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
