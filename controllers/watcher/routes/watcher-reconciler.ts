import { type Client, type ObjectKey, optional, timeText } from "@kyma-operators/kube";
import {
  type Context,
  type EventRecorder,
  ensureFinalizer,
  jsonEqual,
  type Outcome,
  removeFinalizer,
  type Store,
  setCondition,
} from "@kyma-operators/runtime";
import { fieldManagers, finalizers } from "../../../apis/operator/finalizers.ts";
import { apiVersion, watchers as watcherKind } from "../../../apis/operator/group.ts";
import type { State } from "../../../apis/operator/state.ts";
import { hasSpec, type Watcher, type WatcherStatus, watcherCondition } from "../../../apis/operator/watcher.ts";
import { parseSelector } from "../../../modules/label-selector.ts";
import { tellFailure, warningEvent } from "../../../modules/warning-event.ts";
import { contains } from "../../../modules/write-decision.ts";
import { watcherErrors } from "../errors.ts";
import type { WatcherSettings } from "../options.ts";
import { type Gateway, gateways, type VirtualService, virtualServices } from "./istio.ts";
import { buildVirtualService } from "./virtual-service.ts";

const done: Outcome = { kind: "done" };

interface Dependencies {
  readonly client: Client;
  readonly settings: WatcherSettings;
  readonly watchers: Store<Watcher>;
  readonly events: EventRecorder;
  /** False where there is no Istio: events come straight to the listener, and nothing has to be routed. */
  readonly istio: boolean;
}

/** Routes the events of a Watcher from the gateway to the Service that receives them. */
export class WatcherReconciler {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  async reconcile(key: ObjectKey, ctx: Context): Promise<Outcome> {
    const { client, settings, watchers, events } = this.#deps;
    const watcher = watchers.get(key);
    if (watcher === undefined) return done;
    if (watcher.metadata.deletionTimestamp !== undefined) return this.#remove(watcher, ctx);
    const finalizer = { finalizer: finalizers.watcher, signal: ctx.signal };
    const claim = ensureFinalizer(client, watcherKind, watcher, finalizer);
    const telling = { events, regarding: watcher, reason: "AddFinalizerErr" };
    if (await tellFailure(claim, telling)) return done; // our own write wakes us
    try {
      if (this.#deps.istio) await this.#route(watcher, ctx);
    } catch (error) {
      // Told of by its event; what the pass ends with is the cause.
      await this.#report(watcher, "Error", ctx).catch(() => undefined);
      throw error;
    }
    await this.#report(watcher, "Ready", ctx);
    return { kind: "wait", reason: "the route is as wanted", afterMs: settings.requeueMs.watcher };
  }

  async #route(watcher: Watcher, { signal }: Context): Promise<void> {
    const { client } = this.#deps;
    if (!hasSpec(watcher)) throw watcherErrors.INVALID({ problem: "the Watcher has no spec" });
    const wanted = buildVirtualService(watcher, await this.#gatewaysOf(watcher, signal));
    const { name = "", namespace = "" } = wanted.metadata;
    const found = await optional(
      client.get<VirtualService>({ resource: virtualServices, namespace, name }, { signal }),
    );
    const options = { fieldManager: fieldManagers.lifecycleManager, signal };
    if (found === undefined) await client.create(virtualServices, wanted, options);
    else if (!contains(found, wanted)) {
      const metadata = { ...found.metadata, ...wanted.metadata };
      await client.update(virtualServices, { ...found, ...wanted, metadata }, options);
    }
  }

  async #gatewaysOf(watcher: Watcher, signal: AbortSignal): Promise<readonly Gateway[]> {
    const { client, settings, events } = this.#deps;
    const { namespace } = settings.gateway;
    const { items } = await client.list<Gateway>(gateways, { namespace, signal });
    const selector = parseSelector(watcher.spec.gateway.selector);
    if ("problem" in selector) throw watcherErrors.INVALID({ problem: `spec.gateway.selector: ${selector.problem}` });
    const matching = items.filter(({ metadata }) => selector.matches(metadata.labels ?? {}));
    if (matching.length > 0) return matching;
    const error = watcherErrors.GATEWAY_NOT_FOUND({ watcher: watcher.metadata.name ?? "", namespace });
    events.event(watcher, warningEvent("WatcherGatewayNotFound", error));
    throw error;
  }

  async #remove(watcher: Watcher, ctx: Context): Promise<Outcome> {
    const { client, istio, events } = this.#deps;
    const { name = "", namespace = "" } = watcher.metadata;
    if (!watcher.metadata.finalizers?.includes(finalizers.watcher)) return done;
    await this.#report(watcher, "Deleting", ctx);
    if (istio) await optional(client.delete({ resource: virtualServices, namespace, name }, { signal: ctx.signal }));
    const finalizer = { finalizer: finalizers.watcher, signal: ctx.signal };
    const release = removeFinalizer(client, watcherKind, watcher, finalizer);
    await tellFailure(release, { events, regarding: watcher, reason: "WatcherFinalizerErr" });
    return done;
  }

  /** Writes the status; sends nothing when it is the one that was found. */
  async #report(watcher: Watcher, state: State, { now, signal }: Context): Promise<void> {
    const status = statusOf(watcher, state, timeText(now));
    if (jsonEqual(watcher.status, status)) return;
    const { name = "", namespace = "", uid = "" } = watcher.metadata;
    const intent = { apiVersion, kind: "Watcher", metadata: { name, namespace, uid }, status } as Watcher;
    const options = { fieldManager: fieldManagers.lifecycleManager, force: true, subresource: "status", signal };
    const { client, events } = this.#deps;
    const write = client.apply(watcherKind, intent, options);
    await tellFailure(write, { events, regarding: watcher, reason: "WatcherStatusUpdate" });
  }
}

function statusOf({ metadata, status }: Watcher, state: State, now: string): WatcherStatus {
  const { type, reason, True, False } = watcherCondition;
  const ready = state === "Ready";
  const observedGeneration = metadata.generation ?? 0;
  const condition = {
    type,
    reason,
    status: ready ? "True" : "False",
    message: ready ? True : False,
    observedGeneration,
  } as const;
  return { state, conditions: setCondition(status?.conditions ?? [], condition, now), observedGeneration };
}
