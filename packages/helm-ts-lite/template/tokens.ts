import { quote } from "../go/quote.ts";
import { Lexer, type Token, type TokenType } from "./lexer.ts";

/** A parse failure in Go's words, with the line of the token last read. */
export class ParseError extends Error {
  override readonly name = "ParseError";
  readonly file: string;
  readonly line: number;
  readonly reason: string;

  constructor(file: string, line: number, reason: string) {
    super(`template: ${file}:${line}: ${reason}`);
    this.file = file;
    this.line = line;
    this.reason = reason;
  }
}

function describe(token: Token): string {
  if (token.type === "eof") return "EOF";
  if (token.type === "error") return token.text;
  if (token.type === "keyword") return `<${token.text}>`;
  const chars = Array.from(token.text);
  return chars.length > 10 ? `${quote(chars.slice(0, 10).join(""))}...` : quote(token.text);
}

/** The tokens of one text with a look-ahead of three. */
export class Tokens {
  readonly file: string;
  readonly #lexer: Lexer;
  readonly #onToken: () => void;
  /** Tokens that were read and given back, the next one last. */
  readonly #pending: Token[] = [];
  #latest: Token = { type: "text", offset: 0, line: 1, text: "" };
  /** Line where the current action began; 0 outside actions. */
  actionLine = 0;

  constructor(file: string, source: string, onToken: () => void) {
    this.file = file;
    this.#lexer = new Lexer(source);
    this.#onToken = onToken;
  }

  next(): Token {
    const token = this.#pending.pop();
    if (token !== undefined) return token;
    this.#onToken();
    this.#latest = this.#lexer.next();
    return this.#latest;
  }

  back(token: Token): void {
    this.#pending.push(token);
  }

  peek(): Token {
    const token = this.next();
    this.back(token);
    return token;
  }

  nextNonSpace(): Token {
    for (;;) {
      const token = this.next();
      if (token.type !== "space") return token;
    }
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.back(token);
    return token;
  }

  expect(type: TokenType, context: string): Token {
    const token = this.nextNonSpace();
    if (token.type !== type) throw this.unexpected(token, context);
    return token;
  }

  /** True when the next token is this keyword. */
  atKeyword(word: string): boolean {
    const token = this.peek();
    return token.type === "keyword" && token.text === word;
  }

  /** The line of the token last read. */
  get line(): number {
    return this.#latest.line;
  }

  error(reason: string): ParseError {
    return new ParseError(this.file, this.line, reason);
  }

  unexpected(token: Token, context: string): ParseError {
    if (token.type !== "error") return this.error(`unexpected ${describe(token)} in ${context}`);
    return this.error(token.text + this.#actionPlace(token));
  }

  #actionPlace(token: Token): string {
    if (this.actionLine === 0 || this.actionLine === token.line) return "";
    const place = ` in action started at ${this.file}:${this.actionLine}`;
    return token.text.endsWith(" action") ? place.slice(" in action".length) : place;
  }
}
