import { defaultIntervals } from "../../modules/requeue.ts";
import type { DescriptorSource, KymaSettings } from "./options.ts";

/** Settings of a small installation; for tests. */
export const kymaSettings: KymaSettings = {
  namespace: "kcp-system",
  syncNamespace: "kyma-system",
  registry: "registry.example.org/modules",
  restrictedModules: [],
  windows: { minWindowMs: 1_200_000 },
  intervals: defaultIntervals,
  rolloutMaxDelayMs: 0,
  remoteResyncMs: 3_600_000,
  metricsCleanupMs: 900_000,
  concurrency: 4,
  backoff: { firstMs: 5_000, maxMs: 30_000 },
};

/** Knows every component in every version, each with one layer whose digest tells the version; for tests. */
export const anyDescriptor: DescriptorSource = {
  get: async ({ component, version }) => ({
    name: component,
    version,
    repositoryContexts: [{ type: "OCIRegistry" }],
    resources: [
      { name: "raw-manifest", type: "yaml", access: { type: "localBlob", localReference: `sha256:${version}` } },
    ],
  }),
};
