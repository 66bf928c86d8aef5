import { isAppError } from "@kyma-operators/errors";
import { Pool } from "undici";
import type { ClusterAccess } from "./access.ts";
import { kubeErrors, type NoAnswerDetail } from "./errors.ts";
import { pathWithoutQuery } from "./status.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

export interface HttpTransportOptions {
  /** Connections for ordinary requests; more requests wait. Default 8. Watches have connections of their own. */
  readonly connections?: number;
  /** How long an unused connection stays open, in milliseconds. Default 30 s. */
  readonly idleMs?: number;
  /** Longest time for TCP and TLS, in milliseconds. Default 10 s. */
  readonly connectTimeoutMs?: number;
}

/**
 * HTTPS to one API server with its own pool and TLS material.
 *
 * A GET whose connection broke before the answer began is sent once more: servers close idle connections at any
 * moment, and reads may be repeated. Deadlines are the caller's: they come as the request's signal.
 */
export function createHttpTransport(access: ClusterAccess, options: HttpTransportOptions = {}): Transport {
  return new HttpTransport(access, options);
}

class HttpTransport implements Transport {
  readonly host: string;
  readonly #access: ClusterAccess;
  readonly #basePath: string;
  readonly #requests: LazyPool;
  readonly #watches: LazyPool;
  #closed = false;

  constructor(access: ClusterAccess, options: HttpTransportOptions) {
    const url = new URL(access.server);
    this.host = url.host;
    this.#access = access;
    this.#basePath = url.pathname.replace(/\/+$/, "");
    const shared = poolOptions(access, options);
    this.#requests = new LazyPool(url.origin, { ...shared, connections: options.connections ?? 8 });
    // Each watch holds a connection for minutes; in the pool above a few of them would starve every request.
    this.#watches = new LazyPool(url.origin, { ...shared, connections: null });
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    if (this.#closed) throw kubeErrors.CLOSED({ host: this.host });
    const headers = await this.#withToken(request);
    try {
      return await this.#send(request, headers);
    } catch (error) {
      if (!isStaleConnection(error, request)) throw this.#classify(error, request);
      return this.#send(request, headers).catch((again: unknown) => {
        throw this.#classify(again, request);
      });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#requests.close(), this.#watches.close()]);
  }

  async #send(request: TransportRequest, headers: Readonly<Record<string, string>>): Promise<TransportResponse> {
    const pool = isWatch(request.path) ? this.#watches : this.#requests;
    const {
      statusCode,
      headers: answered,
      body,
    } = await pool.get().request({
      method: request.method,
      path: this.#basePath + request.path,
      headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    const response = { status: statusCode, headers: answered, body: this.#readBody(body, request) };
    const { authorization } = headers;
    return authorization === undefined ? response : { ...response, mask: (text) => withoutToken(text, authorization) };
  }

  async *#readBody(body: AsyncIterable<Uint8Array>, request: TransportRequest): AsyncIterable<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw this.#classify(error, request);
    }
  }

  async #withToken(request: TransportRequest): Promise<Readonly<Record<string, string>>> {
    const { token } = this.#access;
    if (token === undefined) return request.headers;
    const current = typeof token === "function" ? await within(request.signal, token(request.signal)) : token;
    return current === undefined
      ? request.headers
      : { ...request.headers, authorization: `${bearer}${current.reveal()}` };
  }

  #classify(error: unknown, request: TransportRequest): unknown {
    if (request.signal?.aborted) return request.signal.reason;
    if (isAppError(error)) return error;
    if (this.#closed) return kubeErrors.CLOSED({ host: this.host });
    const detail = { host: this.host, method: request.method, path: pathWithoutQuery(request.path) };
    return connectionError(error, detail);
  }
}

const bearer = "Bearer ";

/** A proxy or a careless server may repeat a token in any form; what is too short to be one is found everywhere. */
function withoutToken(text: string, authorization: string): string {
  const token = authorization.slice(bearer.length);
  return token.length < 8 ? text : text.replaceAll(token, "[redacted]");
}

/** Whoever gives tokens may wait for a login program that never ends; a request has its deadline all the same. */
async function within<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  const { promise: over, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, over]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A pool that is made for a request and forgotten with its last connection: thousands of clusters are idle at a time. */
class LazyPool {
  readonly #origin: string;
  readonly #options: Pool.Options;
  #pool: Pool | undefined;

  constructor(origin: string, options: Pool.Options) {
    this.#origin = origin;
    this.#options = options;
  }

  get(): Pool {
    if (this.#pool !== undefined) return this.#pool;
    const pool = new Pool(this.#origin, this.#options);
    pool.on("disconnect", () => {
      const { connected, running, pending, queued } = pool.stats;
      if (connected + running + pending + queued > 0 || this.#pool !== pool) return;
      this.#pool = undefined;
      void pool.close();
    });
    this.#pool = pool;
    return pool;
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }
}

function poolOptions(access: ClusterAccess, options: HttpTransportOptions): Pool.Options {
  return {
    // The caller's signal is the only deadline, so that tests with their own clock decide.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: options.idleMs ?? 30_000,
    keepAliveMaxTimeout: options.idleMs ?? 30_000,
    pipelining: 1,
    maxHeaderSize: 32 * 1024,
    connect: {
      timeout: options.connectTimeoutMs ?? 10_000,
      rejectUnauthorized: access.insecureSkipTlsVerify !== true,
      ...(access.ca === undefined ? {} : { ca: access.ca }),
      ...(access.serverName === undefined ? {} : { servername: access.serverName }),
      ...(access.clientCertificate === undefined ? {} : { cert: access.clientCertificate }),
      ...(access.clientKey === undefined ? {} : { key: access.clientKey.reveal() }),
    },
  };
}

const isWatch = (path: string): boolean => /[?&]watch=true(&|$)/.test(path);

const staleCodes = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

function isStaleConnection(error: unknown, request: TransportRequest): boolean {
  return request.method === "GET" && request.signal?.aborted !== true && staleCodes.has(codeOf(error));
}

const dnsCodes = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"]);
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO|CRL_)/;

/** Tells name resolution, TLS and plain connection trouble apart by the codes of Node and undici. */
export function connectionError(error: unknown, detail: NoAnswerDetail): Error {
  const code = codeOf(error);
  if (dnsCodes.has(code)) return kubeErrors.DNS(detail, error);
  if (tlsCode.test(code)) return kubeErrors.TLS(detail, error);
  return kubeErrors.CONNECTION(detail, error);
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}
