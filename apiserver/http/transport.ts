import { apiError } from "../api-error.ts";
import type { Transport, TransportRequest, UserInfo } from "../options.ts";
import { bodyLimitBytes } from "./listener.ts";
import type { ApiRequest, ApiResponse, Handler } from "./messages.ts";

const encoder = new TextEncoder();
const never = new AbortController().signal;
/** Made once: a trace of each would cost more than small requests themselves. */
const over = new DOMException("the request is over", "AbortError");

/** Sends requests to the handler without a socket, as `peer`. */
export function inProcessTransport(handler: Handler, peer: UserInfo, stopping: AbortSignal): Transport {
  return async (request) => {
    request.signal?.throwIfAborted();
    if (stopping.aborted) throw new Error("the API server is stopped");
    const body = bytesIn(request.body);
    if (body.byteLength > bodyLimitBytes) {
      return toTransport(refused(apiError.tooLarge(`Request entity too large: limit is ${bodyLimitBytes}`)));
    }
    const { signal, end } = eitherOf(request.signal ?? never, stopping);
    try {
      const response = await handler(apiRequest(request, { body, peer, signal }));
      request.signal?.throwIfAborted();
      const answer = toTransport(response);
      if (isStream(response.body)) return { ...answer, body: followed(answer.body[Symbol.asyncIterator](), end) };
      end();
      return answer;
    } catch (error) {
      end();
      throw error;
    }
  };
}

/**
 * A signal for as long as one request takes: until a source aborts, or the request ends. `AbortSignal.any` would stay
 * known to the server's own signal, which outlives all requests.
 */
function eitherOf(...sources: readonly AbortSignal[]): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const end = (): void => {
    for (const source of sources) source.removeEventListener("abort", end);
    controller.abort(over);
  };
  for (const source of sources) source.addEventListener("abort", end);
  return { signal: controller.signal, end };
}

type Body = ApiResponse["body"];

function isStream(body: Body): body is Exclude<Body, string | Uint8Array> {
  return typeof body !== "string" && !(body instanceof Uint8Array);
}

/**
 * The same pieces; calls back when their reader is done with them. No generator: one that is left before its first read
 * runs nothing, so it could not call back.
 */
function followed<T>(pieces: AsyncIterator<T>, end: () => void): AsyncIterableIterator<T> {
  return {
    async next() {
      try {
        const step = await pieces.next();
        if (step.done === true) end();
        return step;
      } catch (error) {
        end();
        throw error;
      }
    },
    async return() {
      end();
      await pieces.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function bytesIn(body: TransportRequest["body"]): Uint8Array {
  return typeof body === "string" ? encoder.encode(body) : (body ?? new Uint8Array(0));
}

function apiRequest(
  { method, path: full, headers = {} }: TransportRequest,
  { body, peer, signal }: Pick<ApiRequest, "body" | "peer" | "signal">,
): ApiRequest {
  const [path = "", query = ""] = full.split(/\?(.*)/s);
  return {
    method,
    path,
    query: new URLSearchParams(query),
    headers: lowerCased(headers),
    body,
    peer,
    signal,
  };
}

function refused(error: ReturnType<typeof apiError.tooLarge>): ApiResponse {
  return { status: error.code, headers: { "content-type": "application/json" }, body: JSON.stringify(error.status()) };
}

function toTransport({ status, headers, body }: ApiResponse): Awaited<ReturnType<Transport>> {
  return { status, headers, body: bytesOf(body) };
}

async function* bytesOf(body: ApiResponse["body"]): AsyncGenerator<Uint8Array> {
  if (typeof body === "string") yield encoder.encode(body);
  else if (body instanceof Uint8Array) yield body;
  else for await (const piece of body) yield encoder.encode(piece);
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
