import type { Clock, HttpRequest, HttpResponse, Transport } from "./transport.ts";

/** What a scripted registry answers. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Breaks the connection after this many bytes of the body. */
  readonly breakAfterBytes?: number;
}

/** A request as it left the client, with its body read. */
export interface Seen {
  readonly method: string;
  /** Scheme, host, path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly guarded: boolean;
}

async function readBody({ body }: HttpRequest): Promise<string> {
  if (body === undefined) return "";
  if (body instanceof Uint8Array) return Buffer.from(body).toString("latin1");
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
}

async function* stream({ body = "", breakAfterBytes }: Reply): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(body);
  const sent = breakAfterBytes === undefined ? bytes : bytes.subarray(0, breakAfterBytes);
  for (let at = 0; at < sent.length; at += 7) yield sent.subarray(at, at + 7);
  if (breakAfterBytes !== undefined) throw Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
}

/** A transport for tests: answers each request with the script, and records what was asked. */
export class ScriptedRegistry implements Transport {
  readonly seen: Seen[] = [];
  readonly #script: (request: Seen) => Reply | Error;

  constructor(script: (request: Seen) => Reply | Error) {
    this.#script = script;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    request.signal.throwIfAborted();
    const { method, url, headers, guarded } = request;
    const seen: Seen = { method, url: url.href, headers, body: await readBody(request), guarded };
    this.seen.push(seen);
    const reply = this.#script(seen);
    if (reply instanceof Error) throw reply;
    return { status: reply.status, headers: reply.headers ?? {}, body: stream(reply), discard: async () => undefined };
  }

  async close(): Promise<void> {}
}

/** A clock that never waits, and records how long it was asked to. */
export class ImpatientClock implements Clock {
  readonly slept: number[] = [];
  #nowMs = 1_000_000_000_000;

  now(): number {
    return this.#nowMs;
  }

  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(delayMs);
    this.#nowMs += delayMs;
  }

  after(): () => void {
    return () => undefined;
  }

  advance(delayMs: number): void {
    this.#nowMs += delayMs;
  }
}
