import type { MetricsRegistry } from "@kyma-operators/runtime";
import { type GardenerCluster, type GardenerClusterStatus, labels } from "../../apis/infrastructure/index.ts";
import { type RotationSettings, rotationPeriodMs } from "./rotation.ts";

type Labels = Readonly<Record<string, string>>;
type Gauge = ReturnType<MetricsRegistry["gauge"]>;

/** One series per cluster: the old one goes before the new one is set. */
class SingleSeries {
  readonly #gauge: Gauge;
  readonly #shown = new Map<string, Labels>();

  constructor(gauge: Gauge) {
    this.#gauge = gauge;
  }

  show(key: string, series: Labels, value: number): void {
    this.forget(key);
    this.#shown.set(key, series);
    this.#gauge.set(series, value);
  }

  forget(key: string): void {
    const shown = this.#shown.get(key);
    if (shown !== undefined) this.#gauge.remove(shown);
    this.#shown.delete(key);
  }
}

/** What the GardenerCluster controller shows. */
export class GardenerClusterMetrics {
  readonly #states: SingleSeries;
  readonly #expirations: SingleSeries;
  readonly #rotation: RotationSettings;

  constructor(registry: MetricsRegistry, rotation: RotationSettings) {
    const prefix = "infrastructure_manager";
    const state = registry.gauge(`${prefix}_im_gardener_clusters_state`, "1 for the state a GardenerCluster is in", [
      "runtimeId",
      "shootName",
      "state",
      "reason",
    ]);
    const expiration = registry.gauge(
      `${prefix}_im_kubeconfig_expiration`,
      "When the kubeconfig of a cluster expires, Unix time",
      ["runtimeId", "shootName", "expires", "rotationDuration", "expirationDuration"],
    );
    this.#states = new SingleSeries(state);
    this.#expirations = new SingleSeries(expiration);
    this.#rotation = rotation;
  }

  state(key: string, cluster: GardenerCluster, status: GardenerClusterStatus): void {
    const reason = status.conditions?.at(-1)?.reason ?? "";
    this.#states.show(key, { ...namesOf(cluster), state: status.state ?? "", reason }, 1);
  }

  /** @param expiresAt - milliseconds since the epoch. */
  expiration(key: string, cluster: GardenerCluster, expiresAt: number): void {
    const seconds = (ms: number): string => String(Math.round(ms / 1000));
    const series = {
      ...namesOf(cluster),
      expires: seconds(expiresAt),
      rotationDuration: seconds(rotationPeriodMs(this.#rotation)),
      expirationDuration: seconds(this.#rotation.lifetimeMs),
    };
    this.#expirations.show(key, series, expiresAt / 1000);
  }

  forget(key: string): void {
    this.#states.forget(key);
    this.#expirations.forget(key);
  }
}

function namesOf({ metadata, spec }: GardenerCluster) {
  return { runtimeId: metadata.labels?.[labels.runtimeId] ?? "", shootName: spec.shoot.name };
}
