import { apiError } from "../api-error.ts";
import type { Transport, TransportRequest, UserInfo } from "../options.ts";
import { bodyLimitBytes } from "./listener.ts";
import type { ApiRequest, ApiResponse, Handler } from "./messages.ts";

const encoder = new TextEncoder();
const never = new AbortController().signal;

/** Sends requests to the handler without a socket, as `peer`. */
export function inProcessTransport(handler: Handler, peer: UserInfo, stopping: AbortSignal): Transport {
  return async (request) => {
    request.signal?.throwIfAborted();
    if (stopping.aborted) throw new Error("the API server is stopped");
    const body = bytesIn(request.body);
    if (body.byteLength > bodyLimitBytes) {
      return toTransport(refused(apiError.tooLarge(`Request entity too large: limit is ${bodyLimitBytes}`)));
    }
    const { signal, release } = eitherOf(request.signal ?? never, stopping);
    try {
      const response = await handler(apiRequest(request, { body, peer, signal }));
      request.signal?.throwIfAborted();
      if (isStream(response.body)) return toTransport({ ...response, body: followed(response.body, release) });
      release();
      return toTransport(response);
    } catch (error) {
      release();
      throw error;
    }
  };
}

/**
 * A signal for as long as one request takes. `AbortSignal.any` would stay known to the server's own signal, which
 * outlives all requests.
 */
function eitherOf(...sources: readonly AbortSignal[]): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const release = (): void => {
    for (const source of sources) source.removeEventListener("abort", abort);
  };
  const abort = (): void => {
    release();
    controller.abort();
  };
  for (const source of sources) source.addEventListener("abort", abort);
  return { signal: controller.signal, release };
}

type Body = ApiResponse["body"];

function isStream(body: Body): body is Exclude<Body, string | Uint8Array> {
  return typeof body !== "string" && !(body instanceof Uint8Array);
}

/** The same stream; calls back when its reader is done with it. */
async function* followed<T>(stream: AsyncIterable<T>, done: () => void): AsyncGenerator<T> {
  try {
    yield* stream;
  } finally {
    done();
  }
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
