/** Paths of fields that stand twice in one object of a valid JSON text, for example `spec.replicas`. */
export function duplicateFields(text: string): readonly string[] {
  return new Scanner(text).scan();
}

interface Frame {
  readonly path: string;
  /** Absent in lists. */
  readonly keys: Set<string> | undefined;
  index: number;
  /** Path of the value that comes next. */
  next: string;
}

class Scanner {
  readonly #text: string;
  readonly #found: string[] = [];
  readonly #frames: Frame[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): readonly string[] {
    while (this.#at < this.#text.length) this.#step(this.#text[this.#at] ?? "");
    return this.#found;
  }

  #step(char: string): void {
    const frame = this.#frames.at(-1);
    if (char === '"') this.#string(frame);
    else if (char === "{" || char === "[") this.#open(char, frame);
    else if (char === "}" || char === "]") this.#frames.pop();
    else if (char === "," && frame !== undefined) this.#comma(frame);
    this.#at += 1;
  }

  #open(char: string, parent: Frame | undefined): void {
    const path = parent === undefined ? "" : parent.next;
    const keys = char === "{" ? new Set<string>() : undefined;
    this.#frames.push({ path, keys, index: 0, next: keys === undefined ? `${path}[0]` : "" });
  }

  #comma(frame: Frame): void {
    frame.index += 1;
    frame.next = frame.keys === undefined ? `${frame.path}[${frame.index}]` : "";
  }

  /** A key when the object waits for one, else a value. */
  #string(frame: Frame | undefined): void {
    const start = this.#at;
    this.#at += 1;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    if (frame?.keys === undefined || frame.next !== "") return;
    const key = JSON.parse(this.#text.slice(start, this.#at + 1)) as string;
    frame.next = frame.path === "" ? key : `${frame.path}.${key}`;
    if (frame.keys.has(key)) this.#found.push(frame.next);
    frame.keys.add(key);
  }
}
