import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { getCACertificates } from "node:tls";
import { Agent, type Dispatcher, EnvHttpProxyAgent, request as send } from "undici";
import { isGuardedAddress, isLoopbackHost } from "./network-guard.ts";
import type { Clock, HttpRequest, HttpResponse, Transport } from "./transport.ts";

/** Options of {@link createTransport}. */
export interface TransportOptions {
  /** PEM certificates trusted beside those of Node.js. */
  readonly ca?: readonly string[];
  /** Time until the first byte of an answer, and between two chunks of it. Default 30 s. */
  readonly idleTimeoutMs?: number;
  /** Connections per origin. Default 8. */
  readonly connections?: number;
  /** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are honoured unless this is false. */
  readonly proxyFromEnvironment?: boolean;
}

/** Asks DNS, then refuses names that lead to this machine or its link. */
const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, "", 0);
    const bad = addresses.find(({ address }) => isGuardedAddress(address));
    if (bad !== undefined) {
      return callback(new Error(`${hostname} leads to ${bad.address}, which a remote registry may not name`), "", 0);
    }
    const first = addresses[0];
    return options.all === true ? callback(null, addresses) : callback(null, first?.address ?? "", first?.family ?? 0);
  });
};

interface Dispatchers {
  readonly direct: Dispatcher;
  readonly guarded: Dispatcher;
  readonly proxied: Dispatcher;
}

function createDispatchers(options: TransportOptions): Dispatchers {
  const idle = options.idleTimeoutMs ?? 30_000;
  const tls = options.ca === undefined ? {} : { ca: [...getCACertificates("default"), ...options.ca] };
  const common = { connections: options.connections ?? 8, headersTimeout: idle, bodyTimeout: idle };
  const connect = { ...tls, timeout: 10_000 };
  const direct = new Agent({ ...common, connect });
  const guarded = new Agent({ ...common, connect: { ...connect, lookup: guardedLookup } });
  const proxied =
    options.proxyFromEnvironment === false
      ? direct
      : new EnvHttpProxyAgent({ ...common, connect, requestTls: connect, proxyTls: tls });
  return { direct, guarded, proxied };
}

function headersOf(raw: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

function bodyOf({ body }: HttpRequest): Uint8Array | Readable | null {
  if (body === undefined) return null;
  return body instanceof Uint8Array ? body : Readable.from(body, { objectMode: false });
}

const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/** Sends requests with undici: pooled connections, idle timeouts, proxies of the environment. */
export function createTransport(options: TransportOptions = {}): Transport {
  const { direct, guarded, proxied } = createDispatchers(options);
  const behindProxy =
    options.proxyFromEnvironment !== false && proxyVariables.some((name) => (process.env[name] ?? "") !== "");

  const dispatcherFor = (request: HttpRequest): Dispatcher => {
    if (request.guarded) return behindProxy ? proxied : guarded; // a proxy resolves names, so the guard is its
    if (isLoopbackHost(request.url.hostname)) return direct; // as in Go: this machine is never asked through a proxy
    return behindProxy ? proxied : direct;
  };

  return {
    async send(request: HttpRequest): Promise<HttpResponse> {
      const { statusCode, headers, body } = await send(request.url, {
        method: request.method,
        headers: request.headers,
        body: bodyOf(request),
        signal: request.signal,
        dispatcher: dispatcherFor(request),
      });
      return { status: statusCode, headers: headersOf(headers), body, discard: () => body.dump({ limit: 65_536 }) };
    },
    async close(): Promise<void> {
      await Promise.all([direct.destroy(), guarded.destroy(), proxied.destroy()]);
    },
  };
}

/** Milliseconds since the epoch of an HTTP date, or nothing when it is none. */
export function parseHttpDate(text: string): number | undefined {
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** A number in [0, 1). */
export const systemRandom = (): number => Math.random();

/** The clock of the process. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, delayMs);
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", stop, { once: true });
    }),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
