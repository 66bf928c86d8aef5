import type { Clock, Transport } from "@kyma-operators/kube";
import { TokenBucket } from "./token-bucket.ts";

export interface RateLimit {
  readonly clock: Clock;
  /** Requests per second in the long run. */
  readonly perSecond: number;
  /** Requests that may start at once. */
  readonly burst: number;
}

/**
 * A transport whose requests start no faster than the limit; a request waits, within its own deadline.
 *
 * Those for Leases are few and don't wait: whoever loses its lease in a queue helps nobody.
 */
export function limitRate(transport: Transport, { clock, perSecond, burst }: RateLimit): Transport {
  const bucket = new TokenBucket({ clock, perSecond, burst });
  return {
    host: transport.host,
    request: async (request) => {
      const waitMs = isForLease(request.path) ? 0 : bucket.reserve();
      if (waitMs > 0) await clock.sleep(waitMs, request.signal);
      return transport.request(request);
    },
    close: () => transport.close(),
  };
}

const isForLease = (path: string): boolean => path.startsWith("/apis/coordination.k8s.io/");
