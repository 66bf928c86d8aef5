import type { MetricsRegistry } from "@kyma-operators/runtime";

export interface MandatoryMetrics {
  readonly modules: ReturnType<MetricsRegistry["gauge"]>;
}

/** Under the names that dashboards know. The state of each module's Manifest is shown by the Manifest controller. */
export function mandatoryMetrics(registry: MetricsRegistry): MandatoryMetrics {
  return { modules: registry.gauge("lifecycle_mgr_mandatory_modules", "Modules that every Kyma has") };
}
