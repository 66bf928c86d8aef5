import { defineErrors } from "@kyma-operators/errors";
import { parseDurationMs } from "../../apis/duration.ts";

/** The value of a flag by its type. Durations are milliseconds. */
interface FlagTypes {
  readonly string: string;
  readonly bool: boolean;
  readonly int: number;
  readonly float: number;
  readonly duration: number;
  readonly list: readonly string[];
}

export type FlagType = keyof FlagTypes;

/** One flag as the user knows it. `default` is written as on the command line, for example `5m`. */
export interface Flag<T extends FlagType = FlagType> {
  readonly type: T;
  readonly default: string;
  /** Lower case, without a full stop; what the flag changes, not its type. */
  readonly help: string;
  /** Set when the flag is accepted for compatibility only; says why it does nothing. */
  readonly noEffect?: string;
}

export type FlagTable = Readonly<Record<string, Flag>>;

/** Parsed values by flag name. */
export type FlagValues<T extends FlagTable> = { readonly [K in keyof T]: FlagTypes[T[K]["type"]] };

export const flagErrors = defineErrors("FLAG", {
  /** The flag is not one of ours. */
  UNKNOWN: { retry: "never", text: (d: { name: string }) => `unknown flag --${d.name}: run with --help for the list` },
  /** The text after the flag does not fit its type. */
  INVALID: {
    retry: "never",
    text: (d: { name: string; value: string; expected: string }) =>
      `--${d.name}: expected ${d.expected}, found ${JSON.stringify(d.value)}`,
  },
  /** A flag that takes a value stands last. */
  MISSING_VALUE: {
    retry: "never",
    text: (d: { name: string; expected: string }) => `--${d.name} needs a value: ${d.expected}`,
  },
  /** The configuration file does not hold flags. */
  CONFIG_FILE: { retry: "never", text: (d: { path: string; problem: string }) => `${d.path}: ${d.problem}` },
  /** A word that is no flag. */
  UNEXPECTED: {
    retry: "never",
    text: (d: { word: string }) => `unexpected argument ${JSON.stringify(d.word)}: only flags are taken`,
  },
});

const expectations: Readonly<Record<FlagType, string>> = {
  string: "a text",
  bool: "true or false",
  int: "a whole number",
  float: "a number",
  duration: "a duration such as 90s, 5m or 1h30m",
  list: "a comma-separated list",
};

/** Marks a flag table so that each flag keeps its own type. */
export function flagTable<const T extends FlagTable>(table: T): T {
  return table;
}

/** Raw texts by flag name, as they come from the command line or a configuration file. */
export type RawFlags = ReadonlyMap<string, string>;

/**
 * Splits arguments in the way Go's flag package does: `--name=value`, `--name value`, one dash or two; a boolean
 * without `=value` is true. The last one wins.
 */
export function splitArguments(args: readonly string[], table: FlagTable): RawFlags {
  const raw = new Map<string, string>();
  for (let index = 0; index < args.length; index++) {
    const { name, flag, inline } = flagOf(args[index] ?? "", table);
    const takesNext = inline === undefined && flag.type !== "bool";
    const value = takesNext ? args[++index] : (inline ?? "true");
    if (value === undefined) throw flagErrors.MISSING_VALUE({ name, expected: expectedOf(flag) });
    raw.set(name, value);
  }
  return raw;
}

function flagOf(word: string, table: FlagTable): { name: string; flag: Flag; inline: string | undefined } {
  const [, name, inline] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
  if (name === undefined) throw flagErrors.UNEXPECTED({ word });
  const flag = Object.hasOwn(table, name) ? table[name] : undefined;
  if (flag === undefined) throw flagErrors.UNKNOWN({ name });
  return { name, flag, inline };
}

/** Turns raw texts into typed values; what is not given has its default. */
export function parseFlags<T extends FlagTable>(table: T, raw: RawFlags): FlagValues<T> {
  for (const name of raw.keys()) if (!Object.hasOwn(table, name)) throw flagErrors.UNKNOWN({ name });
  const entries = Object.entries(table).map(([name, flag]) => {
    const text = raw.get(name) ?? flag.default;
    const value = parsers[flag.type](text);
    if (value === undefined) throw flagErrors.INVALID({ name, value: text, expected: expectedOf(flag) });
    return [name, value] as const;
  });
  return Object.fromEntries(entries) as FlagValues<T>;
}

/** What a flag takes, in words. */
export function expectedOf(flag: Flag): string {
  return expectations[flag.type];
}

/** True for a text that the flag takes. */
export function isTaken(flag: Flag, text: string): boolean {
  return parsers[flag.type](text) !== undefined;
}

const parsers: { readonly [K in FlagType]: (text: string) => FlagTypes[K] | undefined } = {
  string: (text) => text,
  bool: (text) => booleans.get(text),
  int: (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined),
  float: (text) => (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined),
  duration: parseDurationMs,
  list: (text) => (text === "" ? [] : text.split(",")),
};

/** The spellings that Go's strconv.ParseBool takes. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

/** The flags that were given although they do nothing here, with the reason to show. */
export function ineffective(
  table: FlagTable,
  raw: RawFlags,
): readonly { readonly name: string; readonly reason: string }[] {
  return [...raw.keys()].flatMap((name) => {
    const reason = table[name]?.noEffect;
    return reason === undefined ? [] : [{ name, reason }];
  });
}

/** The flags as `--help` prints them. */
export function flagHelp(table: FlagTable): string {
  const rows = Object.entries(table).map(([name, flag]) => {
    const note = flag.noEffect === undefined ? "" : ` (no effect: ${flag.noEffect})`;
    const initial = flag.default === "" ? "" : ` (default ${flag.default})`;
    return `  --${name} ${flag.type === "bool" ? "" : flag.type}\n        ${flag.help}${initial}${note}`;
  });
  return `${rows.join("\n")}\n`;
}
