/** What a plain scalar reads as. `time` is an RFC 3339 text, `text` the scalar itself. */
export type Scalar =
  | { readonly kind: "null" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "int"; readonly value: bigint }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "time"; readonly value: string }
  | { readonly kind: "merge" }
  | { readonly kind: "text" };

const text: Scalar = { kind: "text" };
const nothing: Scalar = { kind: "null" };
const yes: Scalar = { kind: "bool", value: true };
const no: Scalar = { kind: "bool", value: false };
const float = (value: number): Scalar => ({ kind: "float", value });

const common: ReadonlyMap<string, Scalar> = new Map([
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, nothing] as const),
  ...["true", "True", "TRUE"].map((word) => [word, yes] as const),
  ...["false", "False", "FALSE"].map((word) => [word, no] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, float(Number.NaN)] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, float(Infinity)] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, float(-Infinity)] as const),
  ["<<", { kind: "merge" }],
]);

/** The words that only YAML 1.1 takes for booleans. */
const words11: ReadonlyMap<string, Scalar> = new Map([
  ...common,
  ...["y", "Y", "yes", "Yes", "YES", "on", "On", "ON"].map((word) => [word, yes] as const),
  ...["n", "N", "no", "No", "NO", "off", "Off", "OFF"].map((word) => [word, no] as const),
]);

const longestWord = 5;
const floatPattern = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const intPattern = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/;
/** Behind a leading point, underscores may stand between digits only. */
const strayUnderscore = /(?<![0-9])_|_(?![0-9])/;
const minInt64 = -(2n ** 63n);
const maxUint64 = 2n ** 64n - 1n;

/** Reads an integer as Go's `strconv.ParseInt(s, 0, 64)` or `ParseUint`; undefined when out of range or no integer. */
function readInteger(plain: string): bigint | undefined {
  if (!intPattern.test(plain)) return undefined;
  const negative = plain.startsWith("-");
  const digits = plain.startsWith("-") || plain.startsWith("+") ? plain.slice(1) : plain;
  const octal = /^0[0-7]+$/.test(digits);
  const size = BigInt(octal ? `0o${digits.slice(1)}` : digits);
  const value = negative ? -size : size;
  // ParseUint takes no sign, so +9223372036854775808 and larger stay floats.
  const max = plain.startsWith("+") ? 2n ** 63n - 1n : maxUint64;
  return value >= minInt64 && value <= max ? value : undefined;
}

function readNumber(source: string): Scalar {
  const plain = source.includes("_") ? source.replaceAll("_", "") : source;
  const integer = readInteger(plain);
  if (integer !== undefined) return { kind: "int", value: integer };
  if (!floatPattern.test(plain)) return text;
  const value = Number(plain);
  return Number.isFinite(value) ? float(value) : text;
}

const datePattern =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:([Tt]| +)(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?(Z|[-+]\d\d:\d\d)?)?$/;
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const two = (part: string | undefined): string => (part ?? "0").padStart(2, "0");

function validDay(year: number, month: number, day: number): boolean {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= (monthDays[month - 1] ?? 0) + (leap ? 1 : 0);
}

const inRange = (part: string | undefined, max: number): boolean => Number(part ?? 0) <= max;

/** With a blank between date and time there is no zone, with a T there must be one. */
function validForm(match: RegExpExecArray): boolean {
  const [, date, separator, zone] = [match[0], match[1], match[4], match[9]];
  return date !== undefined && (separator === undefined || (separator.trim() === "") === (zone === undefined));
}

/** Reads the four timestamp forms of Go's YAML library; undefined when it is none. */
function readTime(source: string): string | undefined {
  const match = datePattern.exec(source);
  if (match === null || !validForm(match)) return undefined;
  const [, year, month, day, , hour, minute, second, fraction = "", zone = "Z"] = match;
  const valid = validDay(Number(year), Number(month), Number(day));
  if (!valid || !inRange(hour, 23) || !inRange(minute, 59) || !inRange(second, 59)) return undefined;
  const digits = fraction.replace(/0+$/, "");
  const time = [hour, minute, second].map(two).join(":");
  return `${year}-${two(month)}-${two(day)}T${time}${digits === "" ? "" : `.${digits}`}${zone}`;
}

function isDateLike(source: string): boolean {
  return source.length >= 8 && source.charCodeAt(4) === 45;
}

function readDigits(source: string): Scalar {
  const time = isDateLike(source) ? readTime(source) : undefined;
  return time === undefined ? readNumber(source) : { kind: "time", value: time };
}

/** Reads a plain scalar as Go's YAML library does; `words` chooses whose booleans. */
function resolve(source: string, words: ReadonlyMap<string, Scalar>): Scalar {
  const known = source.length <= longestWord ? words.get(source) : undefined;
  if (known !== undefined) return known;
  const first = source.charCodeAt(0);
  if (first >= 48 && first <= 57) return readDigits(source);
  if (first === 46) return strayUnderscore.test(source) ? text : readNumber(source);
  return first === 43 || first === 45 ? readNumber(source) : text;
}

/** Reads a plain scalar with the YAML 1.1 booleans, as sigs.k8s.io/yaml does. */
export function resolveYaml11(source: string): Scalar {
  return resolve(source, words11);
}

/** Reads a plain scalar with the YAML 1.2 booleans, as kustomize does for resources. */
export function resolveYaml12(source: string): Scalar {
  return resolve(source, common);
}
