import { builtIn, systemClock } from "@kyma-operators/kube";
import { createManager, type Informer } from "@kyma-operators/runtime";
import { gardenerClusterResource, runtimeResource } from "../../apis/infrastructure/names.ts";
import { kymas, manifests } from "../../apis/operator/group.ts";
import {
  byRegarding,
  type ClusterEvent,
  readToken,
  regardingOf,
  type Sources,
  serveDashboard,
  shrinkEvent,
} from "../../dashboard/index.ts";
import { withSpec } from "../../modules/with-spec.ts";
import manifest from "../../package.json" with { type: "json" };
import { kymaLease, runtimeLease, type Wiring } from "./wiring.ts";

const events = builtIn.coreEvents;
/** What the manager names itself in its events. */
const component = "kyma-operators";

/** Serves the web page over the informers that the chosen controllers have anyway, and one watch on our own events. */
export async function wireDashboard(wiring: Wiring): Promise<void> {
  const { flags, log } = wiring;
  const tokenFile = flags["dashboard-token-file"];
  const own = eventWatch(wiring);
  const dashboard = await serveDashboard({
    bind: flags["dashboard-bind-address"],
    sources: { ...controllerSources(wiring), events: own.events },
    namespace: flags.namespace,
    version: manifest.version,
    clock: systemClock,
    log,
    ...(tokenFile === "" ? {} : { token: () => readToken(tokenFile) }),
  });
  const stop = new AbortController();
  const watching = own.run(stop.signal);
  wiring.onClose(async () => {
    await dashboard.close();
    stop.abort(new Error("the process ends"));
    await watching;
  });
  log.info({ url: dashboard.url }, "the dashboard is served");
}

/**
 * Only kinds that a chosen controller watches, with the transform by which it does: informers are shared only where that
 * is the same, and so the page costs the cluster nothing.
 */
function controllerSources({ manager, flags }: Wiring): Sources {
  const { namespace } = flags;
  const has = (...names: readonly string[]): boolean => names.some((name) => flags.controllers.includes(name));
  return {
    ...(has("kyma", "manifest", "mandatory-module") && {
      kymas: manager.context(kymaLease).informer(kymas, { namespace, transform: withSpec }),
      manifests: manager.context(kymaLease).informer(manifests, { namespace, transform: withSpec }),
    }),
    ...(has("runtime") && { runtimes: manager.context(runtimeLease).informer(runtimeResource, { namespace }) }),
    ...(has("runtime", "gardener-cluster") && {
      gardenerClusters: manager.context(runtimeLease).informer(gardenerClusterResource, { namespace }),
    }),
  };
}

/**
 * The events that we have recorded ourselves. Their watch belongs to a manager of its own: without the right to list
 * events the page lacks them, while the controllers, which wait for all informers of theirs, go on.
 */
function eventWatch({ flags, log, client }: Wiring): {
  readonly events: Informer<ClusterEvent>;
  readonly run: (signal: AbortSignal) => Promise<void>;
} {
  const { namespace } = flags;
  const name = "dashboard-events";
  const leases = [{ name, namespace, enabled: false }];
  const manager = createManager({ client, clock: systemClock, log, identity: name, leases });
  const watched = manager.context(name).informer<ClusterEvent>(events, {
    namespace,
    fieldSelector: `reportingComponent=${component}`,
    transform: shrinkEvent,
    indexes: { [byRegarding]: regardingOf },
  });
  return { events: watched, run: (signal) => manager.run(signal) };
}
