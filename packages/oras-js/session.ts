import { isAppError } from "@kyma-operators/errors";
import { errorFor, isTransient, retryAfterMs, unreachable } from "./answers.ts";
import { type Action, type Authorization, Authorizer } from "./auth.ts";
import { collect, parseJsonBody } from "./body.ts";
import type { CredentialSource } from "./credentials.ts";
import { oci } from "./errors.ts";
import { isLoopbackHost } from "./network-guard.ts";
import { assertForeignUrl, isRedirect, redirectLimit, refuseRedirect, resolveLocation } from "./redirect.ts";
import type { Repository } from "./reference.ts";
import type { TokenCall } from "./token.ts";
import type { Clock, HttpRequest, HttpResponse, Transport } from "./transport.ts";

/**
 * Which registries are spoken to without TLS: those whose reference says `http://`, also those on
 * this machine, also those of a list (`host[:port]` as in references), or none at all.
 */
export type PlainHttpPolicy = "explicit" | "loopback" | "never" | { readonly hosts: readonly string[] };

function isPlain({ plainHttp, host }: Repository, policy: PlainHttpPolicy): boolean {
  if (plainHttp) return true;
  return typeof policy === "object" ? policy.hosts.includes(host) : policy === "loopback" && isLoopbackHost(host);
}

export interface SessionOptions {
  readonly transport: Transport;
  readonly credentials: CredentialSource;
  readonly clock: Clock;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  readonly plainHttp: PlainHttpPolicy;
  readonly userAgent: string;
  /** Tries of one request, the first one included. */
  readonly attempts: number;
  /** A longer `Retry-After` is not waited for, but thrown. */
  readonly retryAfterLimitMs: number;
}

/** A request in a repository. */
export interface Call {
  readonly ref: string;
  readonly repository: Repository;
  readonly actions: readonly Action[];
  readonly mountFrom?: string;
  readonly method: HttpRequest["method"];
  /** Path and query below `/v2/`, or the absolute URL of an upload. */
  readonly url: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once per try. */
  readonly body?: () => Uint8Array | AsyncIterable<Uint8Array>;
  /** Statuses that are no error. */
  readonly expect: readonly number[];
  /** False for requests that must not be sent twice. Default true. */
  readonly repeatable?: boolean;
  /** Time for all tries and the body. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

/** An answer, the URL that relative locations in it are relative to, and as whom it was asked for. */
interface Answer {
  readonly response: HttpResponse;
  readonly url: URL;
  readonly use: Authorization["use"];
}

interface Limit {
  readonly signal: AbortSignal;
  readonly done: () => void;
}

const tokenDeadlineMs = 30_000;
const tokenLimitBytes = 262_144;

/** Requests to registries, with what every one of them needs: credentials, redirects, retries, a deadline. */
export class Session {
  readonly #options: SessionOptions;
  readonly #auth: Authorizer;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#auth = new Authorizer({ ...options, call: this.#callTokenService });
  }

  /** Sends a request until it has one of the expected statuses; throws an `OCI_…` error otherwise. */
  async send(input: Call): Promise<HttpResponse & { readonly url: URL }> {
    const call = { ...input, repository: this.#withScheme(input) };
    const limit = this.#limit(call, call.deadlineMs);
    try {
      const { response, url } = await this.#retry(call, limit.signal);
      const discard = (): Promise<void> => response.discard().finally(limit.done);
      return {
        status: response.status,
        headers: response.headers,
        url,
        body: finishing(response.body, limit),
        discard,
      };
    } catch (error) {
      limit.done();
      throw error;
    }
  }

  /** Waits before a step of several requests is begun again. */
  async pause(attempt: number, signal?: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(this.#backoffMs(attempt), signal);
  }

  /** 0.2 s, 0.4 s, 0.8 s … each ±50 %, so that many clients do not come back together. */
  #backoffMs(attempt: number): number {
    return 200 * 2 ** (attempt - 1) * (0.5 + this.#options.random());
  }

  /** Decides on plain HTTP once, so that everything below can rely on `plainHttp`. */
  #withScheme({ ref, repository }: Pick<Call, "ref" | "repository">): Repository {
    const { host } = repository;
    const { plainHttp: policy } = this.#options;
    if (repository.plainHttp && policy === "never") throw oci.PLAIN_HTTP_REFUSED({ ref, host });
    return { ...repository, plainHttp: isPlain(repository, policy) };
  }

  #limit({ ref, repository, signal }: Pick<Call, "ref" | "repository" | "signal">, deadlineMs: number): Limit {
    const deadline = new AbortController();
    const done = this.#options.clock.after(deadlineMs, () => {
      const reason = `no complete answer within ${deadlineMs / 1_000} s`;
      deadline.abort(oci.UNREACHABLE({ ref, host: repository.host, reason }));
    });
    return { done, signal: signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]) };
  }

  async #retry(call: Call, signal: AbortSignal): Promise<Answer> {
    const { clock, retryAfterLimitMs } = this.#options;
    const attempts = call.repeatable === false ? 1 : this.#options.attempts;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#try(call, signal, attempt < attempts);
      const waitMs = answer === undefined ? 0 : retryAfterMs(answer.response.headers, clock.now());
      if (answer !== undefined) {
        const { response, use } = answer;
        if (call.expect.includes(response.status)) return answer;
        const again = attempt < attempts && isTransient(response.status) && waitMs <= retryAfterLimitMs;
        if (!again) throw await errorFor(response, { ref: call.ref, host: call.repository.host, use }, clock.now());
        await response.discard();
      }
      await clock.sleep(Math.max(this.#backoffMs(attempt), waitMs), signal);
    }
  }

  /** Nothing, when the network failed and trying again is allowed. */
  async #try(call: Call, signal: AbortSignal, more: boolean): Promise<Answer | undefined> {
    try {
      return await this.#sendAuthorized(call, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (isAppError(error)) throw error;
      if (more) return undefined;
      throw unreachable(error, { ref: call.ref, host: call.repository.host });
    }
  }

  /** One try with what we know, and one with the answer to a challenge; a second 401 is final. */
  async #sendAuthorized(call: Call, signal: AbortSignal): Promise<Answer> {
    const known = await this.#auth.before(call, signal);
    const first = await this.#follow(call, known, signal);
    if (first.response.status !== 401) return first;
    await first.response.discard();
    const answer = await this.#auth.afterRefusal(first.response.headers["www-authenticate"], call, signal);
    return this.#follow(call, answer, signal);
  }

  /** Follows redirects. Credentials never leave the origin that they are for. */
  async #follow(call: Call, { header, use }: Authorization, signal: AbortSignal): Promise<Answer> {
    const { plainHttp, host } = call.repository;
    const home = new URL(`${plainHttp ? "http" : "https"}://${host}/v2/`);
    let url = new URL(call.url, home);
    for (let hops = 0; hops <= redirectLimit; hops += 1) {
      const foreign = url.origin !== home.origin;
      // A registry may name another host for an upload; it is as foreign as the target of a redirect.
      if (foreign) assertForeignUrl(call, url);
      const headers = {
        ...call.headers,
        ...(foreign || header === undefined ? {} : { authorization: header.reveal() }),
      };
      const response = await this.#sendOnce({ ...call, url, headers }, foreign, signal);
      if (!isRedirect(response.status)) return { response, url, use };
      await response.discard();
      if (call.method !== "GET" && call.method !== "HEAD")
        throw refuseRedirect(call, `a ${call.method} is not redirected`);
      url = resolveLocation(call, url, response.headers["location"]);
    }
    throw refuseRedirect(call, `more than ${redirectLimit} redirects`);
  }

  #sendOnce(
    out: Pick<Call, "method" | "body" | "repository"> & { url: URL; headers: Readonly<Record<string, string>> },
    foreign: boolean,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    return this.#options.transport.send({
      method: out.method,
      url: out.url,
      headers: { "user-agent": this.#options.userAgent, ...out.headers },
      ...(out.body === undefined ? {} : { body: out.body() }),
      guarded: foreign && !isLoopbackHost(out.repository.host),
      signal,
    });
  }

  /** One POST or GET to the token service; what fails here is tried again with the request that needs the token. */
  readonly #callTokenService: TokenCall = async ({ registry: repository, body, ...rest }) => {
    const { ref, url, headers } = rest;
    assertForeignUrl({ ref, repository }, url);
    const limit = this.#limit({ ref, repository, signal: rest.signal }, tokenDeadlineMs);
    const authorized = "authorization" in headers || body !== undefined;
    const asked = { ref, host: url.host, use: authorized ? "the configured credentials" : "no credentials" } as const;
    try {
      const out = { ...rest, repository, ...(body === undefined ? {} : { body: () => body }) };
      const response = await this.#sendOnce(out, url.host !== repository.host, limit.signal);
      if (response.status !== 200) throw await tokenError(response, asked, this.#options.clock.now());
      return parseJsonBody(await collect(response.body, { ref, limitBytes: tokenLimitBytes }), asked);
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : error;
    } finally {
      limit.done();
    }
  };
}

/** Token services answer 400 and 404 as well when they do not know who asks. */
async function tokenError(
  response: HttpResponse,
  asked: Parameters<typeof errorFor>[1],
  nowMs: number,
): Promise<Error> {
  const { status } = response;
  if (isTransient(status) || status === 403) return errorFor(response, asked, nowMs);
  await response.discard();
  return oci.UNAUTHORIZED(asked);
}

async function* finishing(body: AsyncIterable<Uint8Array>, { signal, done }: Limit): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    done();
  }
}
