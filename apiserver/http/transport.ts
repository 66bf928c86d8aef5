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
    const response = await handler(apiRequest(request, { body, peer, stopping }));
    request.signal?.throwIfAborted();
    return toTransport(response);
  };
}

function bytesIn(body: TransportRequest["body"]): Uint8Array {
  return typeof body === "string" ? encoder.encode(body) : (body ?? new Uint8Array(0));
}

function apiRequest(
  { method, path: full, headers = {}, signal = never }: TransportRequest,
  { body, peer, stopping }: { readonly body: Uint8Array; readonly peer: UserInfo; readonly stopping: AbortSignal },
): ApiRequest {
  const [path = "", query = ""] = full.split(/\?(.*)/s);
  return {
    method,
    path,
    query: new URLSearchParams(query),
    headers: lowerCased(headers),
    body,
    peer,
    signal: AbortSignal.any([signal, stopping]),
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
