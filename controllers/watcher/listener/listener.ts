import { X509Certificate } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { TLSSocket } from "node:tls";
import type { Clock } from "@kyma-operators/kube";
import { LRUCache } from "lru-cache";
import type { TlsData } from "../certificates/gateway-secret.ts";
import { commonNameOf } from "../certificates/pem.ts";
import type { ListenerMetrics } from "./metrics.ts";

const eventPath = /^\/v2\/([a-z0-9.-]{1,253})\/event$/;
const longestBody = 16 * 1024;
const longestCertificate = 32 * 1024;
const requestTimeoutMs = 60_000;
/** One sender may have so many events at once, and then so many a second: a loop on one cluster stays there. */
const burst = 20;
const perSecond = 5;

/** How a sender proves who it is: by the certificate that Istio passes on, or by that of its own connection. */
export type ListenerMode = "istio" | "direct";

export interface ListenerOptions {
  readonly mode: ListenerMode;
  /** Name of the receiver in the path of an event. */
  readonly manager: string;
  readonly clock: Clock;
  readonly metrics: ListenerMetrics;
  /** Called with the runtime id of an authenticated sender. Must not throw. */
  readonly onEvent: (runtimeId: string) => void;
}

/** What is answered to a request that is no good. */
interface Refusal {
  readonly status: number;
  readonly text: string;
}

type Judgement = Refusal | { readonly runtimeId: string };

/** The request listener of the endpoint for events from remote clusters. */
export function eventHandler(options: ListenerOptions): RequestListener {
  const { metrics, clock, onEvent } = options;
  const limits = new SenderLimits(clock);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const started = clock.now();
    metrics.inFlight(1);
    const judgement = await judge(request, options, limits).catch(() => unreadable);
    metrics.inFlight(-1);
    metrics.answered("status" in judgement ? judgement.status : 200, (clock.now() - started) / 1000);
    send(response, judgement);
    if ("runtimeId" in judgement) onEvent(judgement.runtimeId);
  };
  return (request, response) => void answer(request, response);
}

const unreadable: Refusal = { status: 400, text: "the request could not be read" };

/** The sender alone says which runtime an event is about; what the body names is not trusted with that. */
async function judge(request: IncomingMessage, options: ListenerOptions, limits: SenderLimits): Promise<Judgement> {
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  if (eventPath.exec(path)?.[1] !== options.manager) return { status: 404, text: "no such path" };
  if (request.method !== "POST") return { status: 405, text: "only POST is allowed" };
  const sender = senderOf(request, options.mode);
  if ("status" in sender) return sender;
  if (!limits.allows(sender.runtimeId)) return { status: 429, text: "too many events from this sender" };
  const body = await readBody(request);
  if (body === undefined) return { status: 413, text: `an event has at most ${longestBody} bytes` };
  return isEvent(body) ? sender : { status: 500, text: "the body is no event" };
}

function senderOf(request: IncomingMessage, mode: ListenerMode): Judgement {
  const certificate = mode === "istio" ? forwardedCertificate(request) : peerCertificate(request);
  if (certificate === undefined) return { status: 401, text: "a client certificate is required" };
  const runtimeId = commonNameOf(certificate);
  return runtimeId === "" ? { status: 400, text: "the client certificate has no common name" } : { runtimeId };
}

/** Istio checks the certificate and replaces the header, so that no sender can set it. */
function forwardedCertificate({ headers }: IncomingMessage): X509Certificate | undefined {
  const header = headers["x-forwarded-client-cert"];
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined || text.length > longestCertificate) return undefined;
  const encoded = /(?:^|[;,])Cert="([^"]+)"/i.exec(text)?.[1];
  try {
    return encoded === undefined ? undefined : new X509Certificate(decodeURIComponent(encoded));
  } catch {
    return undefined;
  }
}

function peerCertificate({ socket }: IncomingMessage): X509Certificate | undefined {
  const tls = socket as Partial<TLSSocket>;
  return tls.authorized === true ? tls.getPeerX509Certificate?.() : undefined;
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestBody) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isEvent(body: string): boolean {
  try {
    const event: unknown = JSON.parse(body);
    return typeof event === "object" && event !== null && !Array.isArray(event);
  } catch {
    return false;
  }
}

function send(response: ServerResponse, judgement: Judgement): void {
  const { status, text } = "status" in judgement ? judgement : { status: 200, text: "" };
  // A body that nobody has read would keep the connection busy.
  if (status === 413) response.setHeader("Connection", "close");
  response.writeHead(status, { "Content-Type": "text/plain" }).end(text);
}

/** A token bucket per sender. */
class SenderLimits {
  readonly #clock: Clock;
  readonly #buckets = new LRUCache<string, { tokens: number; atMs: number }>({ max: 20_000 });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  allows(sender: string): boolean {
    const now = this.#clock.now();
    const { tokens, atMs } = this.#buckets.get(sender) ?? { tokens: burst, atMs: now };
    const filled = Math.min(burst, tokens + (Math.max(0, now - atMs) / 1000) * perSecond);
    this.#buckets.set(sender, { tokens: Math.max(0, filled - 1), atMs: now });
    return filled >= 1;
  }
}

/** The server of the endpoint. In direct mode it asks every sender for a certificate of our CA. */
export function eventServer(handler: RequestListener, tls: TlsData | undefined): Server | TlsServer {
  const timeouts = { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs };
  if (tls === undefined) return createServer(timeouts, handler);
  return createTlsServer(
    { ...timeouts, ...serverSecrets(tls), requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" },
    handler,
  );
}

/** Certificate, key and trusted CAs as Node's TLS wants them; also for `setSecureContext` after a rotation. */
export function serverSecrets({ crt, key, ca }: TlsData): {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
} {
  return { cert: crt, key, ca };
}
