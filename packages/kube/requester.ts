import type { Clock } from "@kyma-operators/clock";
import { objectIn, parseJson, readText } from "./body.ts";
import type { CallOptions } from "./client-types.ts";
import { startDeadline } from "./deadline.ts";
import { kubeErrors, type NoAnswerDetail } from "./errors.ts";
import { secretMask } from "./secret-values.ts";
import { errorFromStatus, pathWithoutQuery, retryAfterOf } from "./status.ts";
import { headerOf, type Transport, type TransportRequest, type TransportResponse } from "./transport.ts";

/** What one finished request looked like, for metrics and logs. */
export interface RequestReport {
  readonly host: string;
  readonly method: string;
  /** Path without query. */
  readonly path: string;
  /** HTTP status, or the error's code where no answer came. */
  readonly code: string;
  readonly durationMs: number;
}

export interface RequesterOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly responseLimitBytes: number;
  /** How often a throttled request (429, or 503 with `Retry-After`) waits and is sent again within its deadline. */
  readonly throttleRetries: number;
  readonly onRequest: ((report: RequestReport) => void) | undefined;
}

export interface Call extends CallOptions {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

export interface Reply {
  readonly text: string;
  readonly bytes: number;
  readonly contentType: string;
  /** Masks what was sent and is secret, should the answer repeat it. */
  readonly mask: (text: string) => string;
}

/** Sends requests with a deadline and a size limit, and turns every failure into a typed error. */
export class Requester {
  readonly #options: RequesterOptions;
  #closed = false;

  constructor(options: RequesterOptions) {
    this.#options = options;
  }

  get host(): string {
    return this.#options.transport.host;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** The answer as a JSON object. */
  async json(call: Call): Promise<Record<string, unknown>> {
    const reply = await this.text(call);
    return this.parse(call, reply);
  }

  parse(call: Call, reply: Reply): Record<string, unknown> {
    const detail = this.detailOf(call);
    return objectIn(parseJson(reply.text, detail, reply.mask), detail);
  }

  /** The answer as text. */
  async text(call: Call): Promise<Reply> {
    const { clock, responseLimitBytes } = this.#options;
    const detail = this.detailOf(call);
    const timeoutMs = call.timeoutMs ?? this.#options.timeoutMs;
    const reason = (): unknown => kubeErrors.TIMEOUT({ ...detail, afterMs: timeoutMs });
    using deadline = startDeadline(clock, { timeoutMs, signal: call.signal, reason });
    const endsAt = timeoutMs > 0 ? clock.now() + timeoutMs : Number.POSITIVE_INFINITY;
    const response = await this.#sendPatiently(call, deadline.signal, endsAt);
    const { text, bytes } = await readText(response.body, responseLimitBytes, detail);
    if (response.status >= 300) throw refusal(call, response, text);
    return { text, bytes, contentType: headerOf(response, "content-type") ?? "", mask: maskOf(call, response) };
  }

  /** The answer as a stream; its deadline and limits are the caller's. */
  async stream(call: Call, signal: AbortSignal): Promise<TransportResponse> {
    const response = await this.#send(call, signal);
    if (response.status < 300) return response;
    const { text } = await readText(response.body, this.#options.responseLimitBytes, this.detailOf(call));
    throw refusal(call, response, text);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#options.transport.close();
  }

  detailOf(call: Call): NoAnswerDetail {
    return { host: this.host, method: call.method, path: pathWithoutQuery(call.path) };
  }

  /** Waits as often as it may, unless the server asks for more time than the call has. */
  async #sendPatiently(call: Call, signal: AbortSignal, endsAt: number): Promise<TransportResponse> {
    for (let attempt = 0; ; attempt += 1) {
      const response = await this.#send(call, signal);
      const waitMs = attempt < this.#options.throttleRetries ? throttledMs(response) : undefined;
      if (waitMs === undefined || this.clock.now() + waitMs >= endsAt) return response;
      // Read to its end, so that the connection can be used again.
      await readText(response.body, this.#options.responseLimitBytes, this.detailOf(call));
      await this.clock.sleep(waitMs, signal);
    }
  }

  async #send(call: Call, signal: AbortSignal): Promise<TransportResponse> {
    if (this.#closed) throw kubeErrors.CLOSED({ host: this.host });
    signal.throwIfAborted();
    const started = this.clock.now();
    try {
      const response = await this.#options.transport.request(this.#requestOf(call, signal));
      this.#report(call, started, String(response.status));
      return response;
    } catch (error) {
      this.#report(call, started, "<error>");
      throw error;
    }
  }

  #requestOf(call: Call, signal: AbortSignal): TransportRequest {
    const headers: Record<string, string> = {
      accept: call.accept ?? "application/json",
      "user-agent": this.#options.userAgent,
    };
    if (call.body === undefined) return { method: call.method, path: call.path, headers, signal };
    headers["content-type"] = call.contentType ?? "application/json";
    return { method: call.method, path: call.path, headers, signal, body: JSON.stringify(call.body) };
  }

  #report(call: Call, started: number, code: string): void {
    const { onRequest } = this.#options;
    onRequest?.({ ...this.detailOf(call), code, durationMs: this.clock.now() - started });
  }
}

/** How long the server wants us to wait before we ask again; undefined when it does not say that it is throttling. */
function throttledMs(response: TransportResponse): number | undefined {
  const { retryAfterMs } = retryAfterOf(response);
  return response.status === 429 ? (retryAfterMs ?? 1000) : response.status === 503 ? retryAfterMs : undefined;
}

function maskOf(call: Call, response: TransportResponse): (text: string) => string {
  return (said) => secretMask(call.path, call.body)(response.mask?.(said) ?? said);
}

function refusal(call: Call, response: TransportResponse, text: string): Error {
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Proxies answer in plain text or HTML; the text itself is then the message.
  }
  const mask = maskOf(call, response);
  return errorFromStatus({ ...call, status: response.status, ...retryAfterOf(response), body, mask });
}
