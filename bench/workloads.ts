import type { Workload } from "./measurement.ts";

/** Every workload, in the order of the results page. Loaded one after the other, so that none disturbs another. */
export const workloads: readonly (() => Promise<Workload>)[] = [
  async () => (await import("./ssa.ts")).workload,
  async () => (await import("./apiserver.ts")).workload,
  async () => (await import("./apiserver-peers.ts")).workload,
  async () => (await import("./oci.ts")).workload,
  async () => (await import("./helm.ts")).workload,
  async () => (await import("./manifest.ts")).manifests,
  async () => (await import("./kyma.ts")).kymas,
  async () => (await import("./originals.ts")).originals,
  async () => (await import("./runtime.ts")).workload,
  async () => (await import("./infrastructure.ts")).workload,
  async () => (await import("./manifest-layers.ts")).layers,
  async () => (await import("./manifest-faults.ts")).faults,
  async () => (await import("./manifest-upgrade.ts")).upgrades,
  async () => (await import("./cli.ts")).workload,
];

/** Runs of many minutes, with pages of their own: `make load`. */
export const longWorkloads: typeof workloads = [async () => (await import("./load.ts")).load];
