import { builtIn, type Client, type KubeObject, type ObjectKey } from "@kyma-operators/kube";
import { type Change, type ChannelSource, type ManagerContext, priority } from "@kyma-operators/runtime";
import {
  ContentStore,
  createRegistryClient,
  createTransport,
  type Directory,
  type RegistryClientOptions,
} from "oras-js";
import { kymas, manifests } from "../../apis/operator/group.ts";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { labels } from "../../apis/operator/labels.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import { withSpec } from "../../modules/with-spec.ts";
import { type AccessSecret, Clusters, kymaNamesOf, type RemoteClients } from "./clusters/clusters.ts";
import { ActingTokens } from "./clusters/impersonation.ts";
import { clustersOf, localOnly, Peers } from "./clusters/peers.ts";
import { Verification } from "./drift/verification.ts";
import { createMetrics } from "./metrics.ts";
import { defaultOptions, type ManifestOptions } from "./options.ts";
import { ManifestReconciler } from "./reconciler.ts";
import { RenderCache } from "./render/cache.ts";
import { Renderer } from "./render/renderer.ts";
import { claimsChanged } from "./sharing/claimed-refs.ts";
import { Claims } from "./sharing/claims.ts";
import { ChartRepository } from "./sources/chart-repository.ts";
import { Credentials } from "./sources/credentials.ts";
import { RegistryClients } from "./sources/registry-clients.ts";
import { Sources } from "./sources/sources.ts";
import { ManifestStore } from "./store.ts";

type LocalWith = (token: () => Promise<string>) => Client;

/** What the Manifest controller is wired with. */
export interface ManifestControllerOptions {
  readonly settings?: Partial<ManifestOptions>;
  /** Where Manifests, Kymas and Secrets are watched; absent: everywhere. */
  readonly namespace?: string;
  readonly clusters: RemoteClients;
  /** A client of the control plane whose only credential is what this gives: for Manifests that act as an account. */
  readonly localWith?: LocalWith;
  /** Where pulled layers are kept. */
  readonly content: Directory;
  /** Where renderings survive a restart; absent: memory only. */
  readonly renders?: Directory;
  readonly registry?: Omit<RegistryClientOptions, "credentials"> & {
    /** Name of the Secret in `kcp-system` with the installation's registry credentials. */
    readonly credentialsSecret?: string;
  };
  /** Wakes with the key of a Kyma whose cluster has reported a change. */
  readonly remoteEvents?: ChannelSource;
}

/** Lets sources of remote events tell which Manifests they concern. */
export interface ManifestController {
  /** Compares the clusters of a Kyma's Manifests with their inventories now. */
  remoteChanged(kymaName: string): void;
}

const { secrets } = builtIn;

/** Adds the Manifest controller to a manager. */
export function addManifestController(manager: ManagerContext, options: ManifestControllerOptions): ManifestController {
  const settings = { ...defaultOptions, ...options.settings };
  const informers = informersOf(manager, options.namespace);
  const store = new ManifestStore(manager.client, informers.manifests.store, manager.events);
  const verification = new Verification(settings.driftCheckMs, manager.clock.now());
  const peers = new Peers(informers.manifests.store, informers.secrets.store);
  const claims = new Claims(peers);
  informers.manifests.onChange((change) => claims.follow(change));
  informers.secrets.onChange((change) => leadsElsewhere(change) && claims.clustersChanged());
  const remote = new RemoteEvents();
  const reconciler = new ManifestReconciler({
    store,
    verification,
    claims,
    wakeSiblings: (kymaName) => remote.wake(store.ofKyma(kymaName).map(keyOf), priority.resync),
    ...renderingOf(manager, options),
    secrets: informers.secrets.store,
    kymas: informers.kymas.store,
    clusters: new Clusters({
      local: manager.client,
      localWith: options.localWith && actingLocally(manager, options.localWith),
      remote: options.clusters,
      secrets: informers.secrets.store,
      secretsSynced: () => informers.secrets.synced,
      tokens: new ActingTokens(manager.clock),
    }),
    events: manager.events,
    now: () => manager.clock.now(),
    options: settings,
  });

  /** Manifests that have to look at their cluster. */
  const verify = (concerned: readonly Manifest[]): readonly ObjectKey[] => {
    const keys = concerned.map(keyOf);
    for (const { namespace, name } of keys) verification.request(`${namespace}/${name}`, manager.clock.now());
    return keys;
  };
  /** Something about a Kyma's access or existence changed. */
  const verifyAll = (kymaName: string): readonly ObjectKey[] => verify(store.ofKyma(kymaName));
  const secretWatch = {
    informer: informers.secrets,
    predicate: isContentChange,
    map: (change: Change<AccessSecret>) => [
      ...verify([...usersOfSecret(change, store), ...movedBySecret(change, peers)]),
      ...(injects(change.object) ? store.ofModule("deployer").map(keyOf) : []),
    ],
  };
  const kymaWatch = {
    informer: informers.kymas,
    predicate: isParentChange,
    map: ({ object }: Change<Kyma>) => store.ofKyma(object.metadata.name ?? "").map(keyOf),
  };
  // Manifests are written by controllers, for the whole fleet at once; what people do on a cluster goes first.
  const manifestWatch = {
    informer: informers.manifests,
    map: (change: Change<Manifest>) => {
      const own = isNews(change) ? [keyOf(change.object)] : [];
      return isNewsForOthers(change) ? [...own, ...verify(claims.neighbours(...formsOf(change)))] : own;
    },
  };
  manager.addController({
    name: "manifest",
    watches: [manifestWatch, secretWatch, kymaWatch],
    sources: [remote],
    concurrency: settings.concurrency,
    backoff: settings.backoff,
    // The process that looks after a Kyma has the connection to its cluster, and hears of it.
    shardName: (key) => kymaNamesOf(store.get(key) ?? gone)[0] ?? key.name,
    reconcile: async (key, ctx) => reconciler.reconcile(key, ctx),
  });
  informers.manifests.onChange(({ type, object }) => type === "deleted" && reconciler.forget(keyOf(object)));
  const remoteChanged = (kymaName: string): void => remote.wake(verifyAll(kymaName), priority.change);
  options.remoteEvents?.subscribe(({ name }) => remoteChanged(name));
  return { remoteChanged };
}

/** Writes as somebody else pass only while the lease is held, as our own do. */
function actingLocally(manager: ManagerContext, connect: LocalWith): LocalWith {
  return (token) => manager.guard(connect(token));
}

function informersOf(manager: ManagerContext, namespace: string | undefined) {
  const where = namespace === undefined ? {} : { namespace };
  return {
    manifests: manager.informer<Manifest>(manifests, {
      ...where,
      indexes: { kyma: kymaNamesOf, module: moduleNamesOf, local: localOnly },
      transform: withSpec,
    }),
    kymas: manager.informer<Kyma>(kymas, { ...where, transform: withSpec }),
    secrets: manager.informer<AccessSecret>(secrets, {
      ...where,
      indexes: { kyma: kymaNamesOf, module: moduleNamesOf, cluster: clustersOf },
    }),
  };
}

function renderingOf(manager: ManagerContext, { content, renders, registry = {} }: ManifestControllerOptions) {
  const { credentialsSecret, ...clientOptions } = registry;
  const metrics = createMetrics(manager.metrics);
  const clients = new RegistryClients((credentials) => createRegistryClient({ ...clientOptions, credentials }));
  const credentials = new Credentials({
    client: manager.client,
    ...(credentialsSecret === undefined ? {} : { secretName: credentialsSecret }),
  });
  const sources = new Sources({
    registryFor: (source) => clients.for(source),
    credentials,
    store: new ContentStore({ directory: content, clock: manager.clock }),
    repository: new ChartRepository(clientOptions.transport ?? createTransport()),
  });
  const cache = new RenderCache({
    ...(renders === undefined ? {} : { directory: renders }),
    onLookup: (tier) => metrics.rendered(tier),
    onRendered: (tookMs) => metrics.renderedIn(tookMs / 1_000),
    now: () => manager.clock.now(),
  });
  return { sources, renderer: new Renderer(cache), metrics };
}

/** Stands for a Manifest that is no longer there. */
const gone: KubeObject = { apiVersion: "", kind: "Manifest", metadata: {} };

/** Manifests whose way to their cluster a Secret is, or was. */
function usersOfSecret(change: Change<AccessSecret>, store: ManifestStore): readonly Manifest[] {
  const kymaNames = formsOf(change).flatMap((secret) => [...kymaNamesOf(secret), secret.metadata.name ?? ""]);
  return [...new Set(kymaNames)].flatMap((name) => store.ofKyma(name));
}

/** Manifests that have other neighbours on their cluster now, because a Secret leads there, or no longer. */
function movedBySecret(change: Change<AccessSecret>, peers: Peers): readonly Manifest[] {
  if (!leadsElsewhere(change)) return [];
  return [...new Set(formsOf(change).flatMap(clustersOf))].flatMap((cluster) => peers.on(cluster));
}

function leadsElsewhere(change: Change<AccessSecret>): boolean {
  const [old, now] = formsOf(change);
  if (change.type !== "updated") return clustersOf(now).length > 0;
  return clustersOf(old)[0] !== clustersOf(now)[0] || kymaNamesOf(old)[0] !== kymaNamesOf(now)[0];
}

/** The source of injected data. */
function injects({ metadata }: AccessSecret): boolean {
  return metadata.labels?.[labels.moduleName] !== undefined;
}

/** Our own status writes are no news; what others write to metadata and spec, and every deletion, is. */
function isNews(change: Change<Manifest>): boolean {
  if (change.type !== "updated") return true;
  const [old, now] = [change.old, change.object];
  return (
    old.metadata.generation !== now.metadata.generation ||
    old.metadata.deletionTimestamp !== now.metadata.deletionTimestamp ||
    JSON.stringify(old.metadata.labels) !== JSON.stringify(now.metadata.labels) ||
    JSON.stringify(old.metadata.annotations) !== JSON.stringify(now.metadata.annotations) ||
    old.status?.state !== now.status?.state
  );
}

/** What a Manifest has, others may have too. The first list wakes every Manifest anyway. */
function isNewsForOthers(change: Change<Manifest>): boolean {
  if (change.type === "added") return !change.initial;
  return change.type === "deleted" || claimsChanged(change.old, change.object);
}

/** What changed, before and after. */
function formsOf<T extends KubeObject>(change: Change<T>): readonly [T, T] {
  return [change.type === "updated" ? change.old : change.object, change.object];
}

/** The first list wakes every Manifest anyway. */
function isContentChange(change: Change<AccessSecret>): boolean {
  if (change.type === "added") return !change.initial;
  if (change.type === "deleted" || leadsElsewhere(change)) return true;
  return JSON.stringify(change.old.data) !== JSON.stringify(change.object.data);
}

/** A Kyma that appears, goes, or mentions other Manifests may make or save orphans. */
function isParentChange(change: Change<Kyma>): boolean {
  if (change.type !== "updated") return change.type === "deleted" || !change.initial;
  return mentioned(change.old) !== mentioned(change.object) || isDeleting(change.old) !== isDeleting(change.object);
}

function mentioned({ status }: Kyma): string {
  return (status?.modules ?? []).map(({ name, manifest }) => manifest?.metadata?.name ?? name).join();
}

function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function moduleNamesOf({ metadata }: KubeObject): readonly string[] {
  const name = metadata.labels?.[labels.moduleName];
  return name === undefined ? [] : [name];
}

function keyOf({ metadata }: KubeObject): ObjectKey {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

/** Keys to look at without a change on the control plane, as a source of the work queue. */
class RemoteEvents implements ChannelSource {
  readonly #listeners = new Set<Parameters<ChannelSource["subscribe"]>[0]>();

  subscribe(wake: Parameters<ChannelSource["subscribe"]>[0]): () => void {
    this.#listeners.add(wake);
    return () => void this.#listeners.delete(wake);
  }

  wake(keys: readonly ObjectKey[], urgency: number): void {
    for (const key of keys) for (const listener of this.#listeners) listener(key, { priority: urgency });
  }
}
