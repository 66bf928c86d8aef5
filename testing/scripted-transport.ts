import type { Transport, TransportRequest, TransportResponse } from "@kyma-operators/kube";

/** How a scripted server answers one request. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  readonly body?: unknown;
  /** Pieces of a stream instead of a body. */
  readonly stream?: AsyncIterable<string>;
  /** Thrown instead of an answer. */
  readonly error?: Error;
}

type Handler = (request: TransportRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** A transport whose answers a test decides, with the requests it has seen. */
export class ScriptedTransport implements Transport {
  readonly host = "scripted";
  readonly requests: TransportRequest[] = [];
  closed = false;
  #handler: Handler;

  constructor(handler: Handler) {
    this.#handler = handler;
  }

  /** Answers differently from now on. */
  answer(handler: Handler): void {
    this.#handler = handler;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    const answer = await orAborted(Promise.resolve(this.#handler(request)), request.signal);
    if (answer.error !== undefined) throw answer.error;
    const headers = { "content-type": "application/json", ...answer.headers };
    return { status: answer.status ?? 200, headers, body: bodyOf(answer, request.signal) };
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

async function* bodyOf(answer: ScriptedAnswer, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  if (answer.stream === undefined) {
    yield encoder.encode(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {}));
    return;
  }
  const pieces = answer.stream[Symbol.asyncIterator]();
  for (;;) {
    const piece = await orAborted(pieces.next(), signal);
    if (piece.done === true) return;
    yield encoder.encode(piece.value);
  }
}

function orAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** A stream that a test feeds piece by piece. */
export class ScriptedStream implements AsyncIterable<string> {
  readonly #pieces: string[] = [];
  #ended = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** Sends text as it is. */
  push(piece: string): void {
    this.#pieces.push(piece);
    this.#wake?.();
  }

  /** Sends one watch event. */
  event(type: string, object: unknown): void {
    this.push(`${JSON.stringify({ type, object })}\n`);
  }

  /** Ends the stream as a server does whose time is up. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Breaks the stream as a reset connection does. */
  fail(error: Error): void {
    this.#failure = error;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#failure !== undefined) throw this.#failure;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
