import type { Clock, Transport, TransportRequest, TransportResponse } from "@kyma-operators/kube";
import type { Breaker } from "./breaker.ts";
import { connectivityProblem } from "./connectivity.ts";
import { runtimeErrors } from "./errors.ts";
import type { TokenBucket } from "./token-bucket.ts";

export interface BoundedTransportOptions {
  /** Names the cluster in errors. */
  readonly cluster: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly bucket: TokenBucket;
  readonly breaker: Breaker;
  /** Called with every failure to reach the cluster, and with answers that refuse our credentials. */
  readonly onProblem: (error: unknown) => void;
}

/** Longest wait for the rate budget within a request, in milliseconds. */
const longestWaitMs = 1000;
/** Failures that say that the cluster can't be reached, rather than that it dislikes a request. */
const unreachable = new Set(["tls", "dns", "connection", "timeout"]);

/**
 * The transport of one remote cluster, kept within its rate budget and behind its breaker, so that a cluster that is
 * slow, silent or angry costs nothing elsewhere.
 */
export class BoundedTransport implements Transport {
  readonly host: string;
  /** Requests under way. */
  active = 0;
  readonly #options: BoundedTransportOptions;

  constructor(options: BoundedTransportOptions) {
    this.#options = options;
    this.host = options.transport.host;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const waitMs = this.#admit();
    this.active += 1;
    try {
      if (waitMs > 0) await this.#options.clock.sleep(waitMs, request.signal);
      const response = await this.#options.transport.request(request);
      return { ...response, body: this.#bodyOf(this.#judge(response)) };
    } catch (error) {
      this.active -= 1;
      this.#failed(error);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#options.transport.close();
  }

  /** How long to wait; a longer wait is refused, so that the worker can do something else meanwhile. */
  #admit(): number {
    const { cluster, breaker, bucket } = this.#options;
    const waitMs = bucket.reserve(longestWaitMs);
    if (waitMs > longestWaitMs) throw runtimeErrors.CLUSTER_BUSY({ cluster, retryAfterMs: waitMs });
    const retryAfterMs = breaker.admit();
    if (retryAfterMs > 0) throw runtimeErrors.CLUSTER_DOWN({ cluster, retryAfterMs });
    return waitMs;
  }

  #judge(response: TransportResponse): TransportResponse {
    const { breaker, bucket } = this.#options;
    breaker.succeeded();
    if (response.status === 429) {
      const seconds = Number(response.headers["retry-after"] ?? 1);
      bucket.pause(1000 * (Number.isFinite(seconds) ? Math.min(seconds, 60) : 1));
    }
    return response;
  }

  async *#bodyOf(response: TransportResponse): AsyncGenerator<Uint8Array> {
    try {
      yield* response.body;
    } catch (error) {
      this.#failed(error);
      throw error;
    } finally {
      this.active -= 1;
    }
  }

  #failed(error: unknown): void {
    const { breaker, onProblem } = this.#options;
    const problem = connectivityProblem(error);
    if (problem !== undefined && unreachable.has(problem)) breaker.failed();
    else breaker.undecided();
    onProblem(error);
  }
}
