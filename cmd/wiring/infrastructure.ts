import { createClient, createHttpTransport, loadKubeconfig, systemClock } from "@kyma-operators/kube";
import { addGardenerClusterController } from "../../controllers/gardener-cluster/index.ts";
import { addRuntimeController, LandscapeFiles } from "../../controllers/runtime/index.ts";
import { runtimeLease, type Wiring } from "./operator.ts";

/** Adds the Runtime and the GardenerCluster controller. */
export async function wireInfrastructure(wiring: Wiring): Promise<void> {
  const { manager, flags, remote, log, userAgent } = wiring;
  const context = manager.context(runtimeLease);
  const gardener = createClient({
    transport: createHttpTransport(
      await loadKubeconfig({ path: flags["gardener-kubeconfig-path"], clock: systemClock }),
    ),
    clock: systemClock,
    userAgent,
    timeoutMs: flags["gardener-request-timeout"],
  });
  wiring.onClose(() => gardener.close());
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
      namespace: flags.namespace,
      concurrency: flags["runtime-ctrl-workers-cnt"],
      auditLogMandatory: flags["audit-log-mandatory"],
      structuredAuthentication: flags["structured-auth-enabled"],
      forceDeletion: flags["force-deletion-enabled"],
      controlledByProvisionerCheck: flags["controlled-by-provisioner-check-enabled"],
      resyncMs: flags["resync-interval"],
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
}
