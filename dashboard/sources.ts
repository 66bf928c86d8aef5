import type { KubeObject } from "@kyma-operators/kube";
import type { Change, Informer } from "@kyma-operators/runtime";
import type { GardenerCluster, Runtime } from "../apis/infrastructure/index.ts";
import type { Kyma } from "../apis/operator/kyma.ts";
import type { Manifest } from "../apis/operator/manifest.ts";

/** An event of the core group, as far as the page shows it. */
export interface ClusterEvent extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly eventTime?: string | null;
  readonly lastTimestamp?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

/** What the page is made of: watch-fed copies that the process has anyway. A kind it does not watch is absent. */
export interface Sources {
  readonly kymas?: Informer<Kyma>;
  readonly manifests?: Informer<Manifest>;
  readonly runtimes?: Informer<Runtime>;
  readonly gardenerClusters?: Informer<GardenerCluster>;
  /** Our own events, with the index {@link byRegarding}. */
  readonly events?: Informer<ClusterEvent>;
}

/** Index of events by `kind/name` of what they are about. */
export const byRegarding = "regarding";

export function regardingOf({ involvedObject = {} }: ClusterEvent): readonly string[] {
  return [`${involvedObject.kind ?? ""}/${involvedObject.name ?? ""}`];
}

/** Keeps of an event what {@link ClusterEvent} names; thousands of them are in memory. */
export function shrinkEvent(event: ClusterEvent): ClusterEvent {
  const kept = Object.entries(event).filter(([name]) => shown.has(name));
  const { name, namespace, uid, resourceVersion } = event.metadata;
  const metadata = { name, namespace, uid, resourceVersion };
  const { kind: regarding, name: of } = event.involvedObject ?? {};
  return { ...Object.fromEntries(kept), metadata, involvedObject: { kind: regarding, name: of } } as ClusterEvent;
}

const shown: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "type",
  "reason",
  "message",
  "eventTime",
  "lastTimestamp",
  "series",
]);

/** Calls back on every change of any of them, until the returned function is called. */
export function onAnyChange(sources: Sources, handler: (change: Change<KubeObject>) => void): () => void {
  const informers = [sources.kymas, sources.manifests, sources.runtimes, sources.gardenerClusters, sources.events];
  const ends = informers.flatMap((informer) => (informer === undefined ? [] : [informer.onChange(handler)]));
  return () => {
    for (const end of ends) end();
  };
}
