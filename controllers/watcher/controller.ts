import { builtIn, type KubeObject } from "@kyma-operators/kube";
import { type ChannelSource, type Informer, keyOf, type ManagerContext, specChanged } from "@kyma-operators/runtime";
import { kymas, watchers } from "../../apis/operator/group.ts";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { labels } from "../../apis/operator/labels.ts";
import { names } from "../../apis/operator/names.ts";
import type { Watcher } from "../../apis/operator/watcher.ts";
import { Rollout } from "../../modules/rollout.ts";
import { withSpec } from "../../modules/with-spec.ts";
import { certificatesOf } from "./certificates/certificate.ts";
import { GatewayReconciler } from "./certificates/gateway-reconciler.ts";
import { certificateStore } from "./certificates/store.ts";
import type { Secret } from "./certificates/tls-secret.ts";
import { byRuntime, type Relay, RemoteEvents, runListener } from "./listener/runnable.ts";
import { gatewayExpiryMetric, OverdueCertificates } from "./metrics.ts";
import type { WatcherSettings } from "./options.ts";
import { WebhookSync } from "./remote/webhook-sync.ts";
import type { KcpAddress } from "./routes/gateway-address.ts";
import { WatcherReconciler } from "./routes/watcher-reconciler.ts";

const { secrets } = builtIn;

export interface WatcherOptions {
  readonly settings: WatcherSettings;
  /** Where agents send their events; see `gatewayAddress` where Istio has a gateway for them. */
  readonly address: KcpAddress;
  /** False: there is no Istio, the listener asks for client certificates itself. */
  readonly istio: boolean;
  readonly listener: { readonly host: string; readonly port: number };
  /** Where Kymas are split over several processes. */
  readonly relay?: Relay;
  readonly random: () => number;
}

/** What the Kyma controller gets from the watcher. */
export interface WatcherParts {
  /** Keeps the agent on remote clusters. */
  readonly webhook: WebhookSync;
  /** Tells of Kymas whose remote cluster has changed. */
  readonly events: ChannelSource;
  /** Tells of Kymas whose agent is not as it should be any more: a certificate, the CA or a Watcher has changed. */
  readonly agents: ChannelSource;
}

/** Adds the controllers of the watcher: routes of Watchers, the gateway's certificates, and the listener. */
export function addWatcherControllers(manager: ManagerContext, options: WatcherOptions): WatcherParts {
  const { settings, istio, address } = options;
  const informers = informersOf(manager, settings);
  const agents = new Rollout(manager.clock, options.random);
  wakeAgents(informers, agents, settings.namespace);
  addWatcherController(manager, options, informers);
  addGatewayController(manager, options, informers);
  const events = new RemoteEvents(informers.kymas, manager.log, options.relay);
  const listener = {
    mode: istio ? "istio" : "direct",
    bind: options.listener,
    manager: "lifecycle-manager",
    istioNamespace: settings.certificates.istioNamespace,
  } as const;
  manager.addRunnable("watcher-listener", async (signal) =>
    runListener(manager, listener, { events, secrets: informers.secrets }, signal),
  );
  const certificates = certificateStore(
    { client: manager.client, settings: settings.certificates, secrets: informers.secrets.store },
    informers.certificates?.store,
  );
  const webhook = new WebhookSync({
    settings,
    certificates,
    secrets: informers.secrets.store,
    watchers: informers.watchers.store,
    address: () => address,
    overdue: new OverdueCertificates(manager.metrics),
  });
  return { webhook, events, agents };
}

interface Informers {
  readonly kymas: Informer<Kyma>;
  readonly watchers: Informer<Watcher>;
  /** Secrets of the Istio namespace. */
  readonly secrets: Informer<Secret>;
  /** Certificate objects, where an issuer is asked by them. */
  readonly certificates: Informer<KubeObject> | undefined;
}

const runtimeIdOf = ({ metadata }: Kyma): readonly string[] => {
  const id = metadata.labels?.[labels.runtimeId];
  return id === undefined ? [] : [id];
};

function informersOf(manager: ManagerContext, { namespace, certificates }: WatcherSettings): Informers {
  const { management, istioNamespace } = certificates;
  return {
    kymas: manager.informer<Kyma>(kymas, { namespace, indexes: { [byRuntime]: runtimeIdOf }, transform: withSpec }),
    watchers: manager.informer<Watcher>(watchers, { namespace, transform: withSpec }),
    secrets: manager.informer<Secret>(secrets, { namespace: istioNamespace }),
    certificates:
      management === "built-in"
        ? undefined
        : manager.informer(certificatesOf(management), { namespace: istioNamespace }),
  };
}

/** Certificates concern their Kyma; the bundle of the gateway and the Watchers concern every one. */
function wakeAgents(informers: Informers, agents: Rollout, namespace: string): void {
  const { kymas: kymaInformer, watchers: watcherInformer, secrets: secretInformer } = informers;
  const all = (): void => agents.spread(kymaInformer.store.list().map(keyOf), 5_000);
  watcherInformer.onChange((change) => {
    if (specChanged(change) && !(change.type === "added" && change.initial)) all();
  });
  secretInformer.onChange((change) => {
    if (change.type === "added" && change.initial) return;
    const { name = "" } = change.object.metadata;
    if (name === names.gatewaySecret) return all();
    const kyma = /^(.+)-webhook-tls$/.exec(name)?.[1] ?? "";
    const found = kymaInformer.store.get({ namespace, name: kyma });
    if (found !== undefined) agents.spread([keyOf(found)], 0);
  });
}

function addWatcherController(
  manager: ManagerContext,
  { settings, istio }: WatcherOptions,
  informers: Informers,
): void {
  const { client, events } = manager;
  const reconciler = new WatcherReconciler({ client, events, settings, istio, watchers: informers.watchers.store });
  manager.addController({
    name: "watcher",
    watches: [{ informer: informers.watchers, predicate: specChanged }],
    concurrency: settings.concurrency,
    backoff: settings.backoff,
    reconcile: async (key, ctx) => reconciler.reconcile(key, ctx),
  });
}

function addGatewayController(
  manager: ManagerContext,
  options: WatcherOptions,
  { secrets: informer }: Informers,
): void {
  const { settings, address } = options;
  const builtIn = settings.certificates.management === "built-in";
  const reconciler = new GatewayReconciler({
    client: manager.client,
    settings,
    secrets: informer.store,
    hosts: builtIn ? () => [address.host] : undefined,
    showExpiry: gatewayExpiryMetric(manager.metrics),
  });
  const root = { namespace: settings.certificates.istioNamespace, name: names.rootCaSecret };
  const concerned: ReadonlySet<string | undefined> = new Set([names.rootCaSecret, names.gatewaySecret]);
  manager.addController({
    name: "istio-controller",
    watches: [{ informer, predicate: ({ object }) => concerned.has(object.metadata.name), map: () => [root] }],
    // Where we issue the root ourselves, nothing exists yet that could wake the first pass.
    sources: [{ subscribe: (wake) => (wake(root), () => undefined) }],
    backoff: settings.backoff,
    reconcile: async (_, ctx) => reconciler.reconcile(ctx),
  });
}
