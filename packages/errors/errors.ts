/**
 * Whether trying again can help.
 *
 * - `backoff`: the cause may go away by itself (network, conflict, throttling).
 * - `on-change`: only a new generation or a changed referenced object can help; shown as condition `Stalled`.
 * - `never`: the input itself is wrong and must not be used again.
 */
export type Retry = "backoff" | "on-change" | "never";

/** A failure as a value: a stable code, typed detail, a text for the person who must act. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: string;
  readonly retry: Retry;
  readonly detail: unknown;

  constructor(init: { code: string; retry: Retry; text: string; detail: unknown; cause?: unknown }) {
    super(init.text, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.retry = init.retry;
    this.detail = init.detail;
  }
}

interface Definition<D> {
  readonly retry: Retry;
  /** Names the object, what was expected, what was found and, where we know it, what to do. */
  readonly text: (detail: D) => string;
}

// Detail types differ per code; `never` is the only type that every one of them accepts as a parameter.
type Definitions = Readonly<Record<string, Definition<never>>>;
type DetailOf<T> = T extends Definition<infer D> ? D : never;

/** The factories made by {@link defineErrors}: one per code, taking the detail and an optional cause. */
export type Codes<T extends Definitions> = {
  readonly [K in keyof T]: (detail: DetailOf<T[K]>, cause?: unknown) => AppError;
};

const registry = new Map<string, Retry>();

/**
 * Defines the errors of one area. The code of an error is `AREA_NAME`; it never changes once released.
 *
 * Throws when a code is defined twice in one process, because callers branch on codes.
 */
export function defineErrors<T extends Definitions>(area: string, definitions: T): Codes<T> {
  const entries = Object.entries(definitions).map(([name, definition]) => {
    const code = `${area}_${name}`;
    if (registry.has(code)) throw new Error(`error code ${code} is defined twice`);
    registry.set(code, definition.retry);
    const make = (detail: never, cause?: unknown): AppError =>
      new AppError({ code, retry: definition.retry, text: definition.text(detail), detail, cause });
    return [name, make] as const;
  });
  return Object.fromEntries(entries) as Codes<T>;
}

/** True for errors made by {@link defineErrors}. */
export function isAppError(error: unknown): error is AppError {
  return error instanceof AppError;
}

/** True when the error carries this code. Callers branch on codes, never on text. */
export function hasCode(error: unknown, code: string): boolean {
  return isAppError(error) && error.code === code;
}

/** The retry class of any thrown value; what we do not know may pass, so it backs off. */
export function retryOf(error: unknown): Retry {
  return isAppError(error) ? error.retry : "backoff";
}

/** The text of any thrown value, one line per cause, without stack traces. */
export function textOf(error: unknown): string {
  if (!Error.isError(error)) return String(error); // also true for errors of another realm
  const own = error.message || error.name;
  if (error.cause === undefined) return own;
  const cause = textOf(error.cause);
  return own.includes(cause) ? own : `${own}: ${cause}`;
}
