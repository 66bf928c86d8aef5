/** A client that reads slower than this much waiting text is cut off; it comes back and lists. */
const textLimit = 32 * 1024 * 1024;
/** All clients together. An event costs about 100 bytes for each that has not read it yet; its text is shared. */
const eventLimit = 2_000_000;
/** Text is put together in pieces of about this length. */
const pieceLength = 128 * 1024;
/** Events that were sent stay in memory until there are this many, and more than wait: then the list is shortened. */
const keptAfterSending = 100;

/** How many events wait in all streams of a server together. */
export class WaitingEvents {
  readonly #limit: number;
  #streams = 0;
  #events = 0;

  constructor(limit = eventLimit) {
    this.#limit = limit;
  }

  opened(): void {
    this.#streams += 1;
  }

  closed(waiting: number): void {
    this.#streams -= 1;
    this.#events -= waiting;
  }

  add(count: number): void {
    this.#events += count;
  }

  /** Whether a stream has to go: there are too many events, and it holds more of them than the others do. */
  isTooMany(waiting: number): boolean {
    return this.#events > this.#limit && waiting * this.#streams > this.#limit;
  }
}

export type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/**
 * Events on their way to one client: first those it starts with, which are made as it reads them, then those that are
 * pushed. Pushing never waits; a client that does not keep up is cut off.
 */
export class EventStream implements AsyncIterable<string> {
  readonly #signal: AbortSignal;
  readonly #all: WaitingEvents;
  readonly #cleanups: (() => void)[] = [];
  #first: Iterator<string> | undefined;
  #waiting: string[] = [];
  /** How many of the waiting events are on their way already. */
  #taken = 0;
  #length = 0;
  #ended = false;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal, all: WaitingEvents) {
    this.#signal = signal;
    this.#all = all;
    all.opened();
    if (signal.aborted) this.#drop();
    else signal.addEventListener("abort", () => this.#drop(), { once: true });
  }

  /** Sends these before all others. However many there are, they do not count as waiting. */
  startWith(events: Iterable<string>): void {
    this.#first = events[Symbol.iterator]();
  }

  push(type: EventType, object: string): void {
    if (this.#ended) return;
    const text = eventText(type, object);
    this.#waiting.push(text);
    this.#length += text.length;
    this.#all.add(1);
    if (this.#length > textLimit || this.#all.isTooMany(this.#left)) this.#drop();
    this.#wake?.();
  }

  /** No more events; those that wait are still sent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const cleanup of this.#cleanups) cleanup();
    this.#wake?.();
  }

  onEnd(cleanup: () => void): void {
    if (this.#ended) cleanup();
    else this.#cleanups.push(cleanup);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    try {
      for (;;) {
        const first = this.#takeFirst();
        if (first !== "") yield first;
        else if (this.#left > 0) yield this.#take();
        else if (this.#ended || this.#signal.aborted) return;
        else await this.#more();
      }
    } finally {
      this.#drop();
    }
  }

  get #left(): number {
    return this.#waiting.length - this.#taken;
  }

  /** Ends at once: what waits is forgotten. */
  #drop(): void {
    this.end();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#all.closed(this.#left);
    this.#first = undefined;
    this.#waiting = [];
    this.#taken = 0;
  }

  #takeFirst(): string {
    let piece = "";
    while (this.#first !== undefined && piece.length < pieceLength) {
      const { done, value } = this.#first.next();
      if (done === true) this.#first = undefined;
      else piece += value;
    }
    return piece;
  }

  #take(): string {
    const from = this.#taken;
    let length = 0;
    while (this.#left > 0 && length < pieceLength) length += this.#waiting[this.#taken++]?.length ?? 0;
    const piece = this.#waiting.slice(from, this.#taken).join("");
    this.#all.add(from - this.#taken);
    this.#length -= length;
    // Who is always a little behind must not keep what was sent.
    if (this.#left === 0 || this.#taken > Math.max(keptAfterSending, this.#left)) {
      this.#waiting = this.#waiting.slice(this.#taken);
      this.#taken = 0;
    }
    return piece;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

/** The line of one event; the object is JSON already. */
export function eventText(type: EventType, object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}
