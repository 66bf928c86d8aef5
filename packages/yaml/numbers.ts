const uint64Limit = 2 ** 64;

/** Go's `%v` of a float64: shortest digits; scientific when the decimal exponent is below -4 or at least 6. */
export function formatFloat(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return String(value);
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  return Number.isFinite(value) ? scientific(value) : special(value);
}

function special(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

function scientific(value: number): string {
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A float as a map key: with the digits that identify it as a 32-bit float, as sigs.k8s.io/yaml prints it. */
export function formatFloat32(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  const wanted = Math.fround(value);
  if (!Number.isFinite(wanted)) return wanted > 0 ? ".inf" : "-.inf";
  for (let digits = 1; digits < 10; digits++) {
    const candidate = Number(wanted.toPrecision(digits));
    if (Math.fround(candidate) === wanted) return formatFloat(candidate);
  }
  return formatFloat(wanted);
}

/** A number as sigs.k8s.io/yaml marshals it: whole numbers within 64 bits in full digits, others as {@link formatFloat}. */
export function formatNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < uint64Limit) return paddedDigits(value);
  return formatFloat(value);
}

/** JSON writes a large float with its shortest digits, padded with zeros; Go then reads that as an integer. */
function paddedDigits(value: number): string {
  const [digits = "", power = "0"] = value.toExponential().split("e");
  return digits.replace(".", "").padEnd(Number(power) + (value < 0 ? 2 : 1), "0");
}
