/** Reads `--set` texts character by character. */
export class SetScanner {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#chars = Array.from(text);
  }

  get atEnd(): boolean {
    return this.#at >= this.#chars.length;
  }

  peek(): string {
    return this.#chars[this.#at] ?? "";
  }

  skip(): void {
    this.#at++;
  }

  /** What is left. */
  rest(): string {
    return this.#chars.slice(this.#at).join("");
  }

  /** Goes on behind a part of the rest. */
  consume(part: string): void {
    this.#at += Array.from(part).length;
  }

  /**
   * Reads up to one of the stops and takes that, too; `stop` is empty at the end of the text.
   * With `escapes` a backslash takes the next character as it is.
   */
  until(stops: string, escapes = true): { readonly text: string; readonly stop: string } {
    let text = "";
    while (!this.atEnd) {
      const char = this.peek();
      this.skip();
      if (stops.includes(char)) return { text, stop: char };
      if (char !== "\\" || !escapes) text += char;
      else {
        text += this.peek();
        this.skip();
      }
    }
    return { text, stop: "" };
  }
}
