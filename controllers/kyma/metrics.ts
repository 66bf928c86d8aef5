import type { MetricsRegistry } from "@kyma-operators/runtime";
import { annotations } from "../../apis/operator/annotations.ts";
import type { Kyma, KymaStatus } from "../../apis/operator/kyma.ts";
import { labels } from "../../apis/operator/labels.ts";
import type { State } from "../../apis/operator/state.ts";

const kymaStates: readonly State[] = ["Ready", "Processing", "Error", "Deleting", "Warning"];
const moduleStates: readonly State[] = [...kymaStates, "Unmanaged"];

/** Where a pass ended or what it did; the closed list of the upstream metric. */
export type RequeueReason =
  | "kyma_under_deletion_with_no_access_secret"
  | "kyma_status_update_to_deleting"
  | "labels_and_finalizers_update"
  | "crds_sync"
  | "image_pull_secret_sync"
  | "manifest_reconciliation"
  | "module_catalog_sync"
  | "skr_webhook_installation"
  | "sync_context_retrieval"
  | "remote_kyma_deletion"
  | "spec_replacement_from_remote"
  | "status_sync_to_remote"
  | "processing_kyma_state"
  | "remote_module_catalog_deletion"
  | "manifest_crs_cleanup"
  | "kyma_deletion"
  | "kyma_unauthorized";

type Series = Readonly<Record<string, string>>;

/** The metrics of Kymas and their modules, under the names and labels that dashboards know. */
export class KymaMetrics {
  readonly #requeues: ReturnType<MetricsRegistry["counter"]>;
  readonly #kymas: ReturnType<MetricsRegistry["gauge"]>;
  readonly #modules: ReturnType<MetricsRegistry["gauge"]>;
  /** Identifying labels of each Kyma that has series, and the modules it has series for. */
  readonly #known = new Map<
    string,
    { readonly series: Series; readonly modules: readonly string[]; readonly text: string }
  >();

  readonly #unidentified = new Set<string>();

  constructor(registry: MetricsRegistry) {
    const requeueLabels = ["requeue_reason", "requeue_type"];
    this.#requeues = registry.counter(
      "lifecycle_mgr_requeue_reason_total",
      "Ends and steps of passes by reason",
      requeueLabels,
    );
    const common = ["kyma_name", "state", "shoot", "instance_id"];
    this.#kymas = registry.gauge("lifecycle_mgr_kyma_state", "1 for the state a Kyma is in, else 0", common);
    this.#modules = registry.gauge("lifecycle_mgr_module_state", "1 for the state a module of a Kyma is in, else 0", [
      "module_name",
      ...common,
    ]);
  }

  requeue(reason: RequeueReason, type: "intended" | "unexpected"): void {
    this.#requeues.inc({ requeue_reason: reason, requeue_type: type });
  }

  /** Shows a status. Answers, once per Kyma, what it lacks to be told from others; such a Kyma has no series. */
  show(kyma: Kyma, status: KymaStatus): string | undefined {
    const name = kyma.metadata.name ?? "";
    const modules = status.modules ?? [];
    const text = [status.state, ...modules.map((module) => `${module.name}=${module.state}`)].join();
    const before = this.#known.get(name);
    if (before?.text === text) return undefined;
    // Whoever renames a shoot or moves an instance must not leave the old series behind.
    if (before !== undefined) this.remove(name);
    const series = identityOf(kyma);
    if (typeof series === "string") return this.#unidentified.has(name) ? undefined : this.#complain(name, series);
    this.#unidentified.delete(name);
    this.#draw(series, status);
    this.#known.set(name, { series, modules: modules.map((module) => module.name), text });
    return undefined;
  }

  #draw(series: Series, { state: current, modules = [] }: KymaStatus): void {
    for (const state of kymaStates) this.#kymas.set({ ...series, state }, state === current ? 1 : 0);
    for (const module of modules) this.#showModule(series, module.name, module.state);
  }

  #complain(name: string, problem: string): string {
    this.#unidentified.add(name);
    return problem;
  }

  /** Removes every series of a Kyma; answers whether there was one. */
  remove(kymaName: string): boolean {
    this.#unidentified.delete(kymaName);
    const known = this.#known.get(kymaName);
    if (known === undefined) return false;
    for (const state of kymaStates) this.#kymas.remove({ ...known.series, state });
    for (const module of known.modules) this.#removeModule(known.series, module);
    return this.#known.delete(kymaName);
  }

  /** Removes the series of Kymas that are not in the list: a safety net for deletions nobody saw. */
  sweep(kymaNames: ReadonlySet<string>): void {
    for (const name of this.#known.keys()) if (!kymaNames.has(name)) this.remove(name);
  }

  #showModule(series: Series, module: string, current: State): void {
    for (const state of moduleStates) {
      this.#modules.set({ ...series, module_name: module, state }, state === current ? 1 : 0);
    }
  }

  #removeModule(series: Series, module: string): void {
    for (const state of moduleStates) this.#modules.remove({ ...series, module_name: module, state });
  }
}

/** The labels that tell a Kyma from others, or what it lacks. The shoot is the first label of the runtime's domain. */
function identityOf({ metadata }: Kyma): Series | string {
  const domain = metadata.annotations?.[annotations.skrDomain] ?? "";
  const [shoot = "", ...rest] = domain.split(".");
  if (rest.length < 2) return `annotation ${annotations.skrDomain} must have more than two parts, found "${domain}"`;
  const instance = metadata.labels?.[labels.instanceId];
  if (instance === undefined) return `label ${labels.instanceId} is missing`;
  return { kyma_name: metadata.name ?? "", shoot, instance_id: instance };
}
