const units: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

const longest = (1n << 63n) - 1n;

const goDuration = /^(\d+\.?\d*(ns|us|µs|μs|ms|s|m|h)|\.\d+(ns|us|µs|μs|ms|s|m|h))+$/;

/** Reads a duration as Go writes it (`1h30m`, `-1.5s`), in nanoseconds; undefined when it is none, or too long. */
export function parseGoDuration(text: string): bigint | undefined {
  const negative = text.startsWith("-");
  const body = negative || text.startsWith("+") ? text.slice(1) : text;
  if (body === "0") return 0n;
  if (!goDuration.test(body)) return undefined;
  const total = [...body.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)]
    .map(termOf)
    .reduce((sum, term) => sum + term);
  if (total > longest) return undefined;
  return negative ? -total : total;
}

/** One number with its unit, in nanoseconds; what is smaller than one is cut off. */
function termOf([, whole = "", fraction = "", unit = ""]: RegExpMatchArray): bigint {
  const scale = units.get(unit) ?? 0n;
  return BigInt(`0${whole}`) * scale + (BigInt(`0${fraction}`) * scale) / 10n ** BigInt(fraction.length);
}

const humanUnits: ReadonlyMap<string, bigint> = new Map(
  (
    [
      [["nanosecond", "ns", "nano"], 1n],
      [["microsecond", "us", "µs", "micro"], 1_000n],
      [["millisecond", "ms", "milli"], 1_000_000n],
      [["second", "s", "sec"], 1_000_000_000n],
      [["minute", "m", "min"], 60_000_000_000n],
      [["hour", "h", "hr"], 3_600_000_000_000n],
      [["day", "d"], 86_400_000_000_000n],
      [["week", "w", "wk"], 604_800_000_000_000n],
    ] as const
  ).flatMap(([names, scale]) => names.flatMap((name) => [[name, scale] as const, [`${name}s`, scale] as const])),
);

/** Reads what the `duration` format allows: Go's spelling, or amounts with words, such as `3 weeks`. */
export function parseDuration(text: string): bigint | undefined {
  const precise = parseGoDuration(text);
  if (precise !== undefined) return precise;
  const matches = [...text.matchAll(/\s*(\d+)\s*([A-Za-zµ]+)/g)];
  if (matches.length === 0) return undefined;
  let total = 0n;
  for (const [, amount = "0", unit = ""] of matches) {
    const scale = humanUnits.get(unit.toLowerCase());
    if (scale === undefined) return undefined;
    total += BigInt(amount) * scale;
  }
  return total;
}

export function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined;
}
