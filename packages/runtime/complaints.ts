import { isAppError, textOf } from "@kyma-operators/errors";
import type { Logger } from "./types.ts";

/** What somebody has to change: a right, a credential, a definition. */
const refusals: ReadonlySet<string> = new Set([
  "KUBE_FORBIDDEN",
  "KUBE_UNAUTHORIZED",
  "KUBE_NOT_FOUND",
  "KUBE_NO_MATCH",
]);
/** After so many failures in a row, about half a minute, it is no hiccup. */
const lastingFailures = 5;

/** Says aloud once what will not pass by itself, a refusal or whatever lasts; all else is for those who debug. */
export class Complaints {
  readonly #log: Logger;
  readonly #fields: Readonly<Record<string, unknown>>;
  /** The codes that were said aloud since the last success; an outage may show itself in several, by turns. */
  readonly #told = new Set<string>();

  constructor(log: Logger, fields: Readonly<Record<string, unknown>>) {
    this.#log = log;
    this.#fields = fields;
  }

  /** @param failures - how many in a row there were before this one. */
  failed(error: unknown, failures: number, message: string): void {
    const code = isAppError(error) ? error.code : "unknown";
    const fields = { ...this.#fields, code, failures, error: textOf(error) };
    const aloud = refusals.has(code) || failures >= lastingFailures;
    if (!aloud || this.#told.has(code)) return this.#log.debug(fields, message);
    this.#told.add(code);
    this.#log.warn(fields, message);
  }

  succeeded(): void {
    this.#told.clear();
  }
}
