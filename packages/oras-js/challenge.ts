/** One challenge of a `WWW-Authenticate` header: scheme and parameters, names in lower case. */
export interface Challenge {
  readonly scheme: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const headerLimit = 8_192;
// RFC 9110: token, or quoted-string with escapes.
const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const quoted = /"((?:[^"\\]|\\.)*)"/y;
const equals = /\s*=\s*/y;
const blank = /[\s,]*/y;
const token68 = /[A-Za-z0-9._~+/-]+=*(?=\s*(?:,|$))/y;

/** Reads a header from left to right. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match;
  }

  /** Takes `name=value`, or nothing at all. */
  takeParameter(): readonly [string, string] | undefined {
    const start = this.#at;
    const name = this.take(token)?.[0];
    if (name !== undefined && this.take(equals) !== undefined) {
      const value = this.take(quoted)?.[1]?.replace(/\\(.)/g, "$1") ?? this.take(token)?.[0];
      if (value !== undefined) return [name.toLowerCase(), value];
    }
    this.#at = start;
    return undefined;
  }
}

/**
 * Parses a `WWW-Authenticate` header, which may hold several challenges (RFC 9110, 11.6.1).
 *
 * What cannot be parsed ends the list; a header is a hint from outside, never a reason to crash.
 */
export function parseChallenges(header: string): readonly Challenge[] {
  const scanner = new Scanner(header.slice(0, headerLimit));
  const challenges: Challenge[] = [];
  scanner.take(blank);
  while (!scanner.done) {
    const scheme = scanner.take(token)?.[0];
    if (scheme === undefined) break;
    scanner.take(blank);
    challenges.push({ scheme: scheme.toLowerCase(), parameters: takeParameters(scanner) });
  }
  return challenges;
}

function takeParameters(scanner: Scanner): Record<string, string> {
  const parameters = new Map<string, string>();
  for (let next = scanner.takeParameter(); next !== undefined; next = scanner.takeParameter()) {
    parameters.set(...next);
    scanner.take(blank);
  }
  // `Negotiate dG9rZW4=`: a single value instead of parameters; nothing we could answer.
  if (parameters.size === 0 && scanner.take(token68) !== undefined) scanner.take(blank);
  return Object.fromEntries(parameters);
}
