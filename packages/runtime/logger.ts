import { redact } from "@kyma-operators/errors";
import { pino } from "pino";
import type { Logger } from "./types.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** A logger whose level can be changed while it is in use, for its children too. */
export interface LevelLogger extends Logger {
  level: LogLevel;
}

/** Takes finished lines, each with its newline. */
export interface LogDestination {
  write(line: string): void;
}

export function isLogLevel(text: string): text is LogLevel {
  return (logLevels as readonly string[]).includes(text);
}

/**
 * JSON lines with `level`, `date`, `msg` and `context`, which holds the fields of the call and of the logger.
 *
 * Texts of errors are redacted, since they may come from outside. The shared level is looked at before a line is built.
 *
 * @param destination - default: standard output.
 */
export function createLogger(level: LogLevel = "info", destination?: LogDestination): LevelLogger {
  const options = {
    level: "debug",
    base: null,
    messageKey: "msg",
    timestamp: () => `,"date":"${pino.stdTimeFunctions.isoTime().slice(9, -1)}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const root = destination === undefined ? pino(options) : pino(options, destination);
  return new PinoLogger(root, { lowest: logLevels.indexOf(level) });
}

type Fields = Readonly<Record<string, unknown>>;
type Line = (fields: object, message: string) => void;
type Pino = { readonly [level in LogLevel]: Line };

class PinoLogger implements LevelLogger {
  readonly #pino: Pino;
  /** One object for a logger and all its children. */
  readonly #threshold: { lowest: number };
  /** Fields of every line. */
  readonly #fields: Fields;

  constructor(root: Pino, threshold: { lowest: number }, fields: Fields = {}) {
    this.#pino = root;
    this.#threshold = threshold;
    this.#fields = fields;
  }

  get level(): LogLevel {
    return logLevels[this.#threshold.lowest] ?? "info";
  }

  set level(level: LogLevel) {
    this.#threshold.lowest = logLevels.indexOf(level);
  }

  debug(fields: Fields, message: string): void {
    if (this.#threshold.lowest <= 0) this.#write("debug", fields, message);
  }

  info(fields: Fields, message: string): void {
    if (this.#threshold.lowest <= 1) this.#write("info", fields, message);
  }

  warn(fields: Fields, message: string): void {
    if (this.#threshold.lowest <= 2) this.#write("warn", fields, message);
  }

  error(fields: Fields, message: string): void {
    this.#write("error", fields, message);
  }

  child(fields: Fields): Logger {
    return new PinoLogger(this.#pino, this.#threshold, { ...this.#fields, ...fields });
  }

  #write(level: LogLevel, fields: Fields, message: string): void {
    const context = { ...this.#fields, ...fields };
    const { error } = context;
    this.#pino[level]({ context: typeof error === "string" ? { ...context, error: redact(error) } : context }, message);
  }
}

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

/** Logs nothing. */
export const silentLogger: Logger = silent;
