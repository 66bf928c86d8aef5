import { type Clock, kubeErrors, type TransportRequest, type TransportResponse } from "@kyma-operators/kube";

/** What can be wrong with a remote cluster as seen by the operator. */
export const troubles = ["silent", "slow", "throttling", "killed"] as const;
export type Trouble = (typeof troubles)[number];

const slownessMs = 2_000;

interface Asked {
  readonly request: TransportRequest;
  readonly clock: Clock;
  /** What the cluster says when all is well. */
  readonly answer: () => Promise<TransportResponse>;
}

const reactions: Readonly<Record<Trouble, (asked: Asked) => Promise<TransportResponse>>> = {
  silent: ({ request }) => silence(request.signal),
  slow: async ({ request, clock, answer }) => {
    await clock.sleep(slownessMs, request.signal);
    return answer();
  },
  throttling: async () => ({ status: 429, headers: { "retry-after": "1" }, body: noBytes() }),
  killed: async ({ request: { method, path } }) => {
    throw kubeErrors.CONNECTION({ method, path, host: "killed" });
  },
};

/** Answers a request as a cluster in trouble does. */
export function inTrouble(trouble: Trouble, asked: Asked): Promise<TransportResponse> {
  return reactions[trouble](asked);
}

/** The answer that never comes: rejects when the one who asked gives up. */
export function silence(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
