import { apiError } from "../api-error.ts";
import type { Transport, UserInfo } from "../options.ts";
import { bodyLimitBytes } from "./listener.ts";
import type { ApiResponse, Handler } from "./messages.ts";

const encoder = new TextEncoder();
const never = new AbortController().signal;

/** Sends requests to the handler without a socket, as `peer`. */
export function inProcessTransport(handler: Handler, peer: UserInfo, stopping: AbortSignal): Transport {
  return async (request) => {
    request.signal?.throwIfAborted();
    if (stopping.aborted) throw new Error("the API server is stopped");
    const [path = "", query = ""] = request.path.split(/\?(.*)/s);
    const body = typeof request.body === "string" ? encoder.encode(request.body) : (request.body ?? new Uint8Array(0));
    if (body.byteLength > bodyLimitBytes) {
      return toTransport(refused(apiError.tooLarge(`Request entity too large: limit is ${bodyLimitBytes}`)));
    }
    const response = await handler({
      method: request.method,
      path,
      query: new URLSearchParams(query),
      headers: lowerCased(request.headers ?? {}),
      body,
      peer,
      signal: AbortSignal.any([request.signal ?? never, stopping]),
    });
    request.signal?.throwIfAborted();
    return toTransport(response);
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
