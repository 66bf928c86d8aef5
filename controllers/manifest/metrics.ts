import type { MetricsRegistry } from "@kyma-operators/runtime";
import type { State } from "../../apis/operator/state.ts";
import type { RenderTier } from "./render/cache.ts";

/** Counters of the Manifest controller. Names with `lifecycle_mgr_` and the duration gauge are upstream's. */
export interface ManifestMetrics {
  /** Every end of a pass; `unexpected` means that something failed. */
  requeued(reason: string, type: "intended" | "unexpected"): void;
  rendered(tier: RenderTier): void;
  /** How long one rendering took that no cache had. */
  renderedIn(seconds: number): void;
  applied(count: number): void;
  skipped(count: number): void;
  pruned(count: number): void;
  drifted(count: number): void;
  /** Passes of a minute or longer only: one series per Manifest must stay rare. */
  tookLong(manifest: string, seconds: number): void;
  /** State of a module that every Kyma has. */
  mandatoryState(
    manifest: string,
    module: { readonly name: string; readonly kyma: string; readonly state: State },
  ): void;
  forget(manifest: string): void;
}

/** States that have a series of their own. */
const shownStates: readonly State[] = ["Ready", "Processing", "Error", "Deleting", "Warning"];

/** Passes below this duration get no series of their own. */
export const longPassSeconds = 60;

/** Registers the metrics once per process. */
export function createMetrics(registry: MetricsRegistry): ManifestMetrics {
  const requeues = registry.counter("lifecycle_mgr_requeue_reason_total", "Ends of passes by reason.", [
    "requeue_reason",
    "requeue_type",
  ]);
  const renders = registry.counter("kyma_manifest_renders_total", "Renderings by where they came from.", ["tier"]);
  const renderTimes = registry.histogram("kyma_manifest_render_seconds", "Time of renderings that no cache had.");
  const objects = registry.counter("kyma_manifest_objects_total", "Objects by what was done with them.", ["action"]);
  const durations = registry.gauge("reconcile_duration_seconds", "Passes of a minute or longer.", ["manifest_name"]);
  const mandatory = registry.gauge("lifecycle_mgr_mandatory_module_state", "State of modules that every Kyma has.", [
    "module_name",
    "kyma_name",
    "state",
  ]);
  const shownModules = new Map<string, { readonly module_name: string; readonly kyma_name: string }>();
  const long = new Set<string>();
  const count = (action: string) => (amount: number) => {
    if (amount > 0) objects.inc({ action }, amount);
  };
  const forget = (manifest: string): void => {
    if (long.delete(manifest)) durations.remove({ manifest_name: manifest });
    const module = shownModules.get(manifest);
    if (module === undefined) return;
    shownModules.delete(manifest);
    for (const state of shownStates) mandatory.remove({ ...module, state });
  };
  return {
    requeued: (reason, type) => requeues.inc({ requeue_reason: reason, requeue_type: type }),
    rendered: (tier) => renders.inc({ tier }),
    renderedIn: (seconds) => renderTimes.observe({}, seconds),
    applied: count("applied"),
    skipped: count("skipped"),
    pruned: count("pruned"),
    drifted: count("drifted"),
    tookLong: (manifest, seconds) => {
      if (seconds < longPassSeconds) return forget(manifest);
      long.add(manifest);
      durations.set({ manifest_name: manifest }, seconds);
    },
    mandatoryState: (manifest, { name, kyma, state }) => {
      const module = { module_name: name, kyma_name: kyma };
      shownModules.set(manifest, module);
      for (const shown of shownStates) mandatory.set({ ...module, state: shown }, shown === state ? 1 : 0);
    },
    forget,
  };
}
