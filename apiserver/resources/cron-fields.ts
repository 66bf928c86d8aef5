/** One field of a schedule: what it may hold. */
interface FieldBounds {
  readonly least: number;
  readonly most: number;
  /** Three letters in lower case, from `least` on. */
  readonly names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const bounds: readonly FieldBounds[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: months },
  { least: 0, most: 6, names: days },
];

/**
 * Reads the five fields of a schedule as Kubernetes does and gives them back in plain form: numbers, ranges with both
 * ends, steps. Throws an error in Kubernetes' words.
 */
export function plainFields(text: string): readonly string[] {
  const fields = text.trim() === "" ? [] : text.trim().split(/\s+/);
  if (fields.length !== bounds.length)
    throw new Error(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  return bounds.map((limits, index) =>
    (fields[index] ?? "")
      .split(",")
      .filter((part) => part !== "")
      .map((part) => plainRange(part, limits))
      .join(","),
  );
}

function plainRange(text: string, limits: FieldBounds): string {
  const [range = "", step, ...slashes] = text.split("/");
  if (slashes.length > 0) throw new Error(`too many slashes: ${text}`);
  const every = step === undefined ? 1 : parseNumber(step);
  const isAll = range === "*" || range === "?";
  const { start, end } = isAll ? { start: limits.least, end: limits.most } : endsOf(range, limits, step !== undefined);
  const problem = rangeProblem({ start, end, every }, limits);
  if (problem !== undefined) throw new Error(`${problem}: ${text}`);
  if (isAll && every === 1) return "*";
  return `${start}-${end}${every === 1 ? "" : `/${every}`}`;
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly every: number;
}

function rangeProblem({ start, end, every }: Range, { least, most }: FieldBounds): string | undefined {
  if (start < least) return `beginning of range (${start}) below minimum (${least})`;
  if (end > most) return `end of range (${end}) above maximum (${most})`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end})`;
  return every === 0 ? "step of range should be a positive number" : undefined;
}

/** A single number with a step goes on to the end. */
function endsOf(
  range: string,
  limits: FieldBounds,
  hasStep: boolean,
): { readonly start: number; readonly end: number } {
  const [low = "", high, ...hyphens] = range.split("-");
  if (hyphens.length > 0) throw new Error(`too many hyphens: ${range}`);
  const start = parseValue(low, limits);
  if (high !== undefined) return { start, end: parseValue(high, limits) };
  return { start, end: hasStep ? limits.most : start };
}

function parseValue(text: string, { names = [], least }: FieldBounds): number {
  const named = names.indexOf(text.toLowerCase());
  return named >= 0 ? named + least : parseNumber(text);
}

function parseNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
}
