import { type Client, systemClock } from "@kyma-operators/kube";
import { createClusterPool } from "@kyma-operators/runtime";
import type { Wiring } from "./wiring.ts";

/** Clients of remote clusters by key, as the controllers want them. */
export interface RemoteClients {
  open(key: string, revision: string, kubeconfig: () => string): Client;
  evict(key: string): void;
}

/** One pool per group of controllers: what it writes passes only while that group's lease is held. */
export function remoteClients(wiring: Wiring, lease: string): RemoteClients {
  const { manager, flags, log, userAgent } = wiring;
  const context = manager.context(lease);
  const pool = createClusterPool({
    clock: systemClock,
    log,
    metrics: context.metrics,
    guard: (client) => context.guard(client),
    userAgent,
    budget: { perSecond: flags["k8s-skr-client-qps"], burst: flags["k8s-skr-client-burst"] },
  });
  wiring.onClose(() => pool.close());
  return {
    open: (key, version, kubeconfig) => pool.get(key, { kubeconfig, version }).client,
    evict: (key) => pool.evict(key),
  };
}
