import { join } from "node:path";
import { systemClock } from "@kyma-operators/kube";
import { DescriptorCache, type ComponentVersion as OcmVersion } from "@kyma-operators/ocm";
import { systemRandom } from "@kyma-operators/runtime";
import { createDirectory, createRegistryClient } from "oras-js";
import { addKymaController } from "../../controllers/kyma/index.ts";
import { addMandatoryModuleControllers } from "../../controllers/mandatory-module/index.ts";
import { addManifestController, analysisFrom, type ManifestController } from "../../controllers/manifest/index.ts";
import { addPurge } from "../../controllers/purge/index.ts";
import type { WatcherParts } from "../../controllers/watcher/index.ts";
import type { ComponentVersion, Descriptor } from "../../modules/descriptor.ts";
import { openDataDir } from "./data-dir.ts";
import { showFipsMode } from "./fips-mode.ts";
import { readMaintenancePolicy } from "./maintenance-files.ts";
import { type ModuleRegistry, moduleRegistry } from "./registry.ts";
import { type RemoteClients, remoteClients } from "./remote-clients.ts";
import { componentVerification } from "./verification.ts";
import { wireWatcher } from "./watcher.ts";
import { type Flags, kymaLease, type Wiring } from "./wiring.ts";

/** Comparing more often would only load the clusters. */
const minDriftCheckMs = 60_000;

/** Adds the Kyma, mandatory-module and Manifest controllers. */
export async function wireLifecycle(wiring: Wiring): Promise<void> {
  const { flags } = wiring;
  const context = wiring.manager.context(kymaLease);
  const chosen = new Set(flags.controllers);
  showFipsMode(context.metrics, process.env);
  const catalogLoops = chosen.has("kyma") || chosen.has("mandatory-module");
  const registry = await moduleRegistry(wiring.client, {
    host: flags["oci-registry-host"],
    secretName: flags["oci-registry-cred-secret"],
    subPath: flags["modules-repository-subpath"],
    namespace: flags.namespace,
  });
  const remote = remoteClients(wiring, kymaLease);
  const descriptors = catalogLoops ? await descriptorsFrom(wiring, registry) : undefined;
  const watcher = chosen.has("watcher") ? await wireWatcher(wiring) : undefined;
  if (chosen.has("purge")) addPurge(context, { dropStoredVersions: flags["drop-crd-stored-version-map"] });
  const manifests = chosen.has("manifest") ? await wireManifests(wiring, registry, { remote, watcher }) : undefined;
  if (descriptors !== undefined) {
    const catalog = { registry: registry.reference, descriptors };
    if (chosen.has("kyma")) await wireKyma(wiring, catalog, { remote, watcher, manifests });
    if (chosen.has("mandatory-module")) wireMandatoryModules(wiring, catalog);
  }
}

async function wireManifests(wiring: Wiring, registry: ModuleRegistry, { remote, watcher }: RemoteSide) {
  const { flags } = wiring;
  const analysis = analysisFrom(process.env);
  const data = await openDataDir(flags["data-dir"]);
  wiring.onClose(() => data.close());
  const context = wiring.manager.context(kymaLease);
  return addManifestController(context, {
    namespace: flags.namespace,
    clusters: remote,
    localWith: wiring.clientWith,
    content: createDirectory(join(data.folder, "layers")),
    renders: createDirectory(join(data.folder, "renders")),
    registry: {
      // Manifests name the registry without its scheme.
      plainHttp: registry.baseUrl.startsWith("http://") ? { hosts: [hostOf(registry)] } : "explicit",
      userAgent: wiring.userAgent,
      ...(flags["oci-registry-cred-secret"] === "" ? {} : { credentialsSecret: flags["oci-registry-cred-secret"] }),
    },
    settings: {
      concurrency: flags["max-concurrent-manifest-reconciles"],
      backoff: backoffOf(flags),
      requeue: {
        warningMs: flags["manifest-requeue-warning-interval"],
        busyMs: flags["manifest-requeue-busy-interval"],
      },
      driftCheckMs: Math.max(flags["manifest-drift-check-interval"], minDriftCheckMs),
      readyTimeoutMs: flags["manifest-ready-timeout"],
      ...pullSecretOf(flags["skr-image-pull-secret"]),
      deployerInjection: flags["restricted-default-modules"].includes("deployer"),
      ...(analysis === undefined ? {} : { analysis }),
    },
    ...(watcher === undefined ? {} : { remoteEvents: watcher.events }),
  });
}

/** The registry of the modules, and what it says of them. */
interface Catalog {
  readonly registry: string;
  readonly descriptors: Awaited<ReturnType<typeof descriptorsFrom>>;
}

/** How the controllers reach remote clusters, and hear from them. */
interface RemoteSide {
  readonly remote: RemoteClients;
  readonly watcher: WatcherParts | undefined;
}

interface KymaNeighbours extends RemoteSide {
  readonly manifests: ManifestController | undefined;
}

async function wireKyma(wiring: Wiring, { registry, descriptors }: Catalog, neighbours: KymaNeighbours) {
  const { remote, watcher, manifests } = neighbours;
  const { flags, log } = wiring;
  const context = wiring.manager.context(kymaLease);
  const policy = await readMaintenancePolicy(process.env, { log, metrics: context.metrics });
  addKymaController(context, {
    settings: {
      namespace: flags.namespace,
      syncNamespace: flags["sync-namespace"],
      registry,
      restrictedModules: flags["restricted-default-modules"],
      windows: { minWindowMs: flags["min-maintenance-window-size"], ...policy },
      intervals: {
        successMs: flags["kyma-requeue-success-interval"],
        busyMs: flags["kyma-requeue-busy-interval"],
        warningMs: flags["kyma-requeue-warning-interval"],
        errorMs: flags["kyma-requeue-error-interval"],
      },
      rolloutMaxDelayMs: flags["module-upgrade-rollout-max-delay"],
      remoteResyncMs: flags["remote-resync-interval"],
      metricsCleanupMs: flags["metrics-cleanup-interval"] * 60_000,
      ...pullSecretOf(flags["skr-image-pull-secret"]),
      concurrency: flags["max-concurrent-kyma-reconciles"],
      backoff: backoffOf(flags),
    },
    clusters: remote,
    descriptors,
    ...(manifests === undefined ? {} : { onRemoteMade: (name: string) => manifests.remoteChanged(name) }),
    ...(watcher === undefined
      ? {}
      : { webhook: watcher.webhook, remoteEvents: watcher.events, agentEvents: watcher.agents }),
    random: systemRandom,
  });
}

function wireMandatoryModules({ manager, flags }: Wiring, { registry, descriptors }: Catalog): void {
  addMandatoryModuleControllers(manager.context(kymaLease), {
    settings: {
      namespace: flags.namespace,
      syncNamespace: flags["sync-namespace"],
      registry,
      requeueMs: flags["mandatory-module-requeue-success-interval"],
      rolloutMaxDelayMs: flags["module-upgrade-rollout-max-delay"],
      concurrency: flags["max-concurrent-mandatory-modules-reconciles"],
      backoff: backoffOf(flags),
    },
    descriptors,
    random: systemRandom,
  });
}

function backoffOf(flags: Flags): { readonly firstMs: number; readonly maxMs: number } {
  return { firstMs: flags["failure-base-delay"], maxMs: flags["failure-max-delay"] };
}

function hostOf({ reference }: ModuleRegistry): string {
  return reference.split("/")[0] ?? reference;
}

function pullSecretOf(name: string): { readonly pullSecret?: string } {
  return name === "" ? {} : { pullSecret: name };
}

/** Component descriptors from the registry, each fetched once, and verified if the flags say so. */
async function descriptorsFrom(wiring: Wiring, registry: ModuleRegistry) {
  const { flags } = wiring;
  const client = createRegistryClient({ credentials: registry.credentials, userAgent: wiring.userAgent });
  wiring.onClose(() => client.close());
  const cache = new DescriptorCache({ client, clock: systemClock });
  const verified = await componentVerification(
    {
      enabled: flags["enable-verification"],
      keyFile: flags["module-verification-key-file"],
      policyFile: flags["verification-policy"],
    },
    { client: wiring.client, registry: client, clock: systemClock, namespace: flags.namespace },
  );
  return {
    get: async ({ component, version }: ComponentVersion, signal: AbortSignal): Promise<Descriptor> => {
      const found: OcmVersion = await cache.get({ baseUrl: registry.baseUrl }, { name: component, version }, signal);
      return (await verified(found)).descriptor;
    },
  };
}
