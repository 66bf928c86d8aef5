import type { MetricsRegistry } from "@kyma-operators/runtime";
import type { RenderTier } from "./render-cache.ts";

/** Counters of the Manifest controller. Names with `lifecycle_mgr_` and the duration gauge are upstream's. */
export interface ManifestMetrics {
  /** Every end of a pass; `unexpected` means that something failed. */
  requeued(reason: string, type: "intended" | "unexpected"): void;
  rendered(tier: RenderTier): void;
  applied(count: number): void;
  skipped(count: number): void;
  pruned(count: number): void;
  drifted(count: number): void;
  /** Passes of a minute or longer only: one series per Manifest must stay rare. */
  tookLong(manifest: string, seconds: number): void;
  forget(manifest: string): void;
}

/** Passes below this duration get no series of their own. */
export const longPassSeconds = 60;

/** Registers the metrics once per process. */
export function createMetrics(registry: MetricsRegistry): ManifestMetrics {
  const requeues = registry.counter("lifecycle_mgr_requeue_reason_total", "Ends of passes by reason.", [
    "requeue_reason",
    "requeue_type",
  ]);
  const renders = registry.counter("kyma_manifest_renders_total", "Renderings by where they came from.", ["tier"]);
  const objects = registry.counter("kyma_manifest_objects_total", "Objects by what was done with them.", ["action"]);
  const durations = registry.gauge("reconcile_duration_seconds", "Passes of a minute or longer.", ["manifest_name"]);
  const long = new Set<string>();
  const count = (action: string) => (amount: number) => {
    if (amount > 0) objects.inc({ action }, amount);
  };
  const forget = (manifest: string): void => {
    if (long.delete(manifest)) durations.remove({ manifest_name: manifest });
  };
  return {
    requeued: (reason, type) => requeues.inc({ requeue_reason: reason, requeue_type: type }),
    rendered: (tier) => renders.inc({ tier }),
    applied: count("applied"),
    skipped: count("skipped"),
    pruned: count("pruned"),
    drifted: count("drifted"),
    tookLong: (manifest, seconds) => {
      if (seconds < longPassSeconds) return forget(manifest);
      long.add(manifest);
      durations.set({ manifest_name: manifest }, seconds);
    },
    forget,
  };
}
