import { hasCode, isAppError } from "@kyma-operators/errors";
import { codesOf, type Shoot } from "@kyma-operators/gardener";
import type { RequestDetail } from "@kyma-operators/kube";
import { jsonEqual, type MetricsRegistry } from "@kyma-operators/runtime";
import { labels, type Runtime, type RuntimeStatus } from "../../apis/infrastructure/index.ts";

type Labels = Readonly<Record<string, string>>;

/** What the Runtime controller counts. Metrics never influence what it does. */
export class RuntimeMetrics {
  readonly #state: ReturnType<MetricsRegistry["gauge"]>;
  readonly #stops: ReturnType<MetricsRegistry["counter"]>;
  readonly #durations: ReturnType<MetricsRegistry["histogram"]>;
  readonly #requests: ReturnType<MetricsRegistry["counter"]>;
  readonly #errors: ReturnType<MetricsRegistry["counter"]>;
  /** The series of each Runtime, by its key. */
  readonly #series = new Map<string, Labels>();

  constructor(registry: MetricsRegistry) {
    const prefix = "infrastructure_manager";
    const stateLabels = ["runtimeId", "runtimeName", "shootName", "provider", "state", "reason"];
    this.#state = registry.gauge(`${prefix}_im_runtime_state`, "1 for the state a Runtime is in", stateLabels);
    this.#stops = registry.counter(`${prefix}_unexpected_stops_total`, "Passes that stopped because of an error");
    this.#durations = registry.histogram(
      `${prefix}_im_runtime_operation_duration_seconds`,
      "From the begin of an operation to its end",
      {
        labels: ["operation", "provider", "plan", "result"],
        buckets: [60, 120, 300, 600, 900, 1_200, 1_800, 3_600, 7_200],
      },
    );
    this.#requests = registry.counter(`${prefix}_im_gardener_requests_total`, "Requests to Gardener", ["verb", "code"]);
    this.#errors = registry.counter(`${prefix}_im_shoot_last_error`, "Errors that Gardener reported for Shoots", [
      "code",
    ]);
  }

  /** Shows the state of a Runtime instead of the one shown before. */
  show(key: string, runtime: Runtime, status: RuntimeStatus): void {
    const { metadata, spec } = runtime;
    const next = {
      runtimeId: metadata.labels?.[labels.runtimeId] ?? "",
      runtimeName: metadata.name ?? "",
      shootName: spec.shoot.name,
      provider: spec.shoot.provider.type,
      state: status.state,
      reason: status.conditions?.at(-1)?.reason ?? "",
    };
    if (jsonEqual(this.#series.get(key), next)) return;
    this.forget(key);
    this.#series.set(key, next);
    this.#state.set(next, 1);
  }

  forget(key: string): void {
    const shown = this.#series.get(key);
    if (shown !== undefined) this.#state.remove(shown);
    this.#series.delete(key);
  }

  stopped(): void {
    this.#stops.inc();
  }

  operation(name: "create" | "update" | "delete", runtime: Runtime, { result, durationMs }: OperationEnd): void {
    const provider = runtime.spec.shoot.provider.type;
    const plan = runtime.metadata.labels?.[labels.planName] ?? "";
    this.#durations.observe({ operation: name, provider, plan, result }, durationMs / 1000);
  }

  lastErrors(shoot: Shoot): void {
    for (const code of codesOf(shoot.status?.lastErrors)) this.#errors.inc({ code });
  }

  /** Counts a request by its answer and passes the result on. */
  async request<T>(verb: string, call: () => Promise<T>): Promise<T> {
    try {
      const answer = await call();
      this.#requests.inc({ verb, code: "200" });
      return answer;
    } catch (error) {
      this.#requests.inc({ verb, code: statusOf(error) });
      throw error;
    }
  }
}

export interface OperationEnd {
  readonly result: "succeeded" | "failed";
  readonly durationMs: number;
}

function statusOf(error: unknown): string {
  if (!isAppError(error) || hasCode(error, "KUBE_TIMEOUT")) return "0";
  const { status } = error.detail as Partial<RequestDetail>;
  return String(status ?? 0);
}
