import { type Client, createClient, createHttpTransport, loadKubeconfig, systemClock } from "@kyma-operators/kube";
import { limitRate, observeRequests } from "@kyma-operators/runtime";
import { addGardenerClusterController } from "../../controllers/gardener-cluster/index.ts";
import { addRegistryCacheController } from "../../controllers/registry-cache/index.ts";
import { addRuntimeController, LandscapeFiles } from "../../controllers/runtime/index.ts";
import { type RemoteClients, remoteClients } from "./remote-clients.ts";
import { runtimeLease, type Wiring } from "./wiring.ts";

/** Adds the Runtime and the GardenerCluster controller. */
export async function wireInfrastructure(wiring: Wiring): Promise<void> {
  const { manager, flags, log } = wiring;
  const context = manager.context(runtimeLease);
  const gardener = await gardenerClient(wiring);
  wiring.onClose(() => gardener.close());
  const remote = remoteClients(wiring, runtimeLease);
  const landscape = await LandscapeFiles.open({
    converterConfig: flags["converter-config-filepath"],
    auditLogMandatory: flags["audit-log-mandatory"],
  });
  context.addRunnable("landscape-files", (signal) => landscape.follow(systemClock, log, signal), { needsLease: false });

  if (flags.controllers.includes("runtime")) {
    addRuntimeController(context, {
      gardener,
      remote,
      landscape: () => landscape.current,
      onLandscapeChange: landscape.onChange,
      namespace: flags.namespace,
      concurrency: flags["runtime-ctrl-workers-cnt"],
      auditLogMandatory: flags["audit-log-mandatory"],
      structuredAuthentication: flags["structured-auth-enabled"],
      forceDeletion: flags["force-deletion-enabled"],
      controlledByProvisionerCheck: flags["controlled-by-provisioner-check-enabled"],
      resyncMs: flags["resync-interval"],
      timeouts: { provisioningMs: flags["provisioning-timeout"], updateMs: flags["update-timeout"] },
      deletionWarningMs: flags["deletion-warning-after"],
    });
  }
  if (flags.controllers.includes("gardener-cluster")) {
    addGardenerClusterController(context, {
      gardener,
      projectName: flags["gardener-project-name"],
      namespace: flags.namespace,
      concurrency: flags["gardener-cluster-ctrl-workers-cnt"],
      passTimeoutMs: flags["gardener-ctrl-reconcilation-timeout"],
      rotation: { lifetimeMs: flags["kubeconfig-expiration-time"], ratio: flags["minimal-rotation-time"] },
    });
  }
  if (flags["enable-webhooks"]) await (await import("./webhook.ts")).wireWebhook(wiring, gardener, landscape);
  if (flags["custom-config-controller-enabled"]) wireRegistryCaches(wiring, { gardener, remote });
}

/** The look for registry caches costs a request per cluster and minute, so it is asked for. */
function wireRegistryCaches(
  { manager, flags }: Wiring,
  clients: { readonly gardener: Client; readonly remote: RemoteClients },
): void {
  addRegistryCacheController(manager.context(runtimeLease), {
    ...clients,
    projectName: flags["gardener-project-name"],
    namespace: flags.namespace,
    concurrency: flags["runtime-ctrl-workers-cnt"],
  });
}

async function gardenerClient({ manager, flags, userAgent }: Wiring): Promise<Client> {
  const access = await loadKubeconfig({ path: flags["gardener-kubeconfig-path"], clock: systemClock });
  const rate = { perSecond: flags["gardener-ratelimiter-qps"], burst: flags["gardener-ratelimiter-burst"] };
  return createClient({
    transport: limitRate(createHttpTransport(access), { clock: systemClock, ...rate }),
    clock: systemClock,
    userAgent,
    timeoutMs: flags["gardener-request-timeout"],
    onRequest: observeRequests(manager.metrics),
  });
}
