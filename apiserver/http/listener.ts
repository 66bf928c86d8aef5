import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { apiError } from "../api-error.ts";
import type { KeyPair } from "../auth/certificates.ts";
import { systemClock } from "../system-clock.ts";
import type { ApiRequest, ApiResponse, Handler } from "./messages.ts";
import { peerOf } from "./peer.ts";

/** Longest body that is read, as in Kubernetes. */
export const bodyLimitBytes = 3 * 1024 * 1024;

type Incoming = IncomingMessage | Http2ServerRequest;
type Outgoing = ServerResponse | Http2ServerResponse;

/** A socket that answers requests until it is closed. */
export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly server: KeyPair;
  /** Client certificates are checked against it. */
  readonly clientAuthority: string;
  readonly handler: Handler;
}

/** Opens a TLS endpoint that speaks HTTP/2 and HTTP/1.1. Rejects when the port is taken. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const server = createSecureServer({
    allowHTTP1: true,
    key: options.server.key,
    cert: options.server.certificate,
    ca: options.clientAuthority,
    requestCert: true,
    // A request without a client certificate may carry a token; authentication decides.
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams: 1_000 },
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  server.on("sessionError", () => undefined);
  const stopping = new AbortController();
  server.on("request", (incoming: Incoming, outgoing: Outgoing) => {
    void serve(incoming, outgoing, { handler: options.handler, stopping: stopping.signal });
  });
  await bind(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        stopping.abort();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function bind(server: Http2SecureServer, { host, port }: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

interface Serving {
  readonly handler: Handler;
  readonly stopping: AbortSignal;
}

async function serve(incoming: Incoming, outgoing: Outgoing, { handler, stopping }: Serving): Promise<void> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  outgoing.on("close", leave);
  outgoing.on("error", leave);
  incoming.on("error", leave);
  stopping.addEventListener("abort", leave, { once: true });
  try {
    const response = await answer(incoming, handler, gone.signal);
    if (!gone.signal.aborted) await send(outgoing, response, gone.signal);
  } catch {
    // The client left in the middle; nobody is there to be told.
    outgoing.destroy();
  } finally {
    stopping.removeEventListener("abort", leave);
  }
}

async function answer(incoming: Incoming, handler: Handler, signal: AbortSignal): Promise<ApiResponse> {
  const body = await readBody(incoming);
  if (body === undefined) return tooLarge();
  const [path = "", query = ""] = splitOnce(incoming.url ?? "/", "?");
  const request: ApiRequest = {
    method: incoming.method ?? "GET",
    path,
    query: new URLSearchParams(query),
    headers: incoming.headers as Readonly<Record<string, string | undefined>>,
    body,
    peer: peerOf(incoming, systemClock.now()),
    signal,
  };
  return handler(request);
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function tooLarge(): ApiResponse {
  const error = apiError.tooLarge(`Request entity too large: limit is ${bodyLimitBytes}`);
  return { status: error.code, headers: { "content-type": "application/json" }, body: JSON.stringify(error.status()) };
}

const noBody = new Uint8Array(0);

/** The whole body, or `undefined` when it is longer than the limit; the rest is then read and dropped. */
async function readBody(incoming: Incoming): Promise<Uint8Array | undefined> {
  if (incoming.method === "GET" || incoming.method === "HEAD") return noBody;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bodyLimitBytes) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (bytes > bodyLimitBytes) return undefined;
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

async function send(outgoing: Outgoing, response: ApiResponse, signal: AbortSignal): Promise<void> {
  const { status, headers, body } = response;
  const out = outgoing as ServerResponse;
  if (typeof body === "string" || body instanceof Uint8Array) {
    out.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(body)) });
    out.end(body);
    return;
  }
  out.writeHead(status, headers);
  out.flushHeaders?.();
  for await (const piece of body) {
    if (signal.aborted) break;
    if (!out.write(piece)) await drained(out, signal);
  }
  out.end();
}

function drained(outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    outgoing.on("drain", done);
    signal.addEventListener("abort", done, { once: true });
  });
}
