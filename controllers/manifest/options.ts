import type { AnalysisOptions } from "./drift/foreign-managers.ts";

/** How the Manifest controller behaves. */
export interface ManifestOptions {
  /** Manifests in work at once. */
  readonly concurrency: number;
  /** Delays after failed passes. */
  readonly backoff: { readonly firstMs: number; readonly maxMs: number };
  readonly requeue: {
    readonly warningMs: number;
    /** Longest wait between two looks at something that is in progress. */
    readonly busyMs: number;
  };
  /** How often a Ready Manifest is compared with its cluster, when no event asks for it earlier. */
  readonly driftCheckMs: number;
  /** After this time without becoming ready a Manifest turns to Warning. */
  readonly readyTimeoutMs: number;
  /** Name of the image pull Secret on remote clusters; absent: pods get none. */
  readonly pullSecret?: string;
  /** Whether Secrets of the module `deployer` get their data from the control plane. */
  readonly deployerInjection: boolean;
  /** A Manifest that its Kyma does not mention is orphaned only after this time. */
  readonly orphanToleranceMs: number;
  /** Whose managed fields are looked through for managers nobody expects; absent: nobody's. */
  readonly analysis?: AnalysisOptions;
}

export const defaultOptions: ManifestOptions = {
  concurrency: 32,
  backoff: { firstMs: 1_000, maxMs: 30_000 },
  requeue: { warningMs: 30_000, busyMs: 5_000 },
  driftCheckMs: 3_600_000,
  readyTimeoutMs: 600_000,
  deployerInjection: false,
  orphanToleranceMs: 300_000,
};
