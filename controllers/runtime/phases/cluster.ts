import { isAppError, retryOf, textOf } from "@kyma-operators/errors";
import { type GardenerCluster, labels } from "../../../apis/infrastructure/index.ts";
import { RuntimeCluster } from "../cluster/cluster.ts";
import { kubeconfigErrors } from "../errors.ts";
import { buildGardenerCluster, gardenerClusterName, kubeconfigSecretName } from "../gardener-cluster.ts";
import { isOfOtherShoot } from "../ownership.ts";
import { end, next, type Scope, type Step, stop } from "../scope.ts";
import { oidcExtension } from "../shoot/index.ts";
import type { Report } from "../status.ts";

/** Stops before anything is done by the id of a Runtime that another one has: its kubeconfig and Secrets go by it. */
export function refuseSharedId(scope: Scope): Step {
  const cluster = gardenerClusterOf(scope);
  if (cluster === undefined || !isOfOtherShoot(cluster, scope.runtime)) return next;
  const { metadata, spec } = cluster;
  const message = `GardenerCluster ${metadata.name ?? ""} is that of Shoot ${spec.shoot.name}: another Runtime has the same label ${labels.runtimeId}`;
  return stop(scope, { type: "KubeconfigReady", reason: "KubernetesErr", message });
}

/** Sees that there is a GardenerCluster, and waits until it has a kubeconfig. */
export async function awaitKubeconfig(scope: Scope): Promise<Step> {
  const { runtime, shoot, draft } = scope;
  if (shoot === undefined) return end;
  const cluster = gardenerClusterOf(scope);
  const refused = refuseSharedId(scope); // the other Runtime may have come during this pass
  if (refused.kind === "end") return refused;
  await ensureGardenerCluster(scope, cluster, buildGardenerCluster(runtime, shoot));
  if (cluster?.status?.state === "Ready") {
    draft.pending(kubeconfigReport("GardenerClusterCRReady"));
    return next;
  }
  if (cluster === undefined) draft.pending(kubeconfigReport("GardenerClusterCRCreated"));
  return end;
}

export function hasGardenerCluster(scope: Scope): boolean {
  return gardenerClusterOf(scope) !== undefined;
}

/** The GardenerCluster of a Runtime's id. */
export function gardenerClusterOf({ runtime, deps }: Scope): GardenerCluster | undefined {
  return deps.controlPlane.gardenerCluster(runtime.metadata.namespace ?? "", gardenerClusterName(runtime));
}

/** Where there is no Shoot, a kubeconfig that is there opens a cluster that is no more. */
export async function dropGardenerCluster(scope: Scope): Promise<void> {
  const cluster = gardenerClusterOf(scope);
  if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return;
  await orReport(scope, () => scope.deps.controlPlane.removeGardenerCluster(cluster, scope.signal));
}

async function ensureGardenerCluster(
  scope: Scope,
  current: GardenerCluster | undefined,
  wanted: GardenerCluster,
): Promise<void> {
  const { deps, signal } = scope;
  await orReport(scope, async () => {
    if (current === undefined) await deps.controlPlane.createGardenerCluster(wanted, signal);
    else await deps.controlPlane.syncGardenerCluster(current, wanted, signal);
  });
}

/** A write to the control plane whose failure the Runtime shows until another attempt succeeds. */
async function orReport(scope: Scope, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    stop(scope, { type: "KubeconfigReady", reason: "KubernetesErr", message: textOf(error) });
    throw error;
  }
}

function kubeconfigReport(reason: "GardenerClusterCRCreated" | "GardenerClusterCRReady"): Report {
  return reason === "GardenerClusterCRReady"
    ? { type: "KubeconfigReady", status: "True", reason, message: "Gardener Cluster CR is ready." }
    : {
        type: "KubeconfigReady",
        status: "Unknown",
        reason,
        message: "Gardener Cluster CR created, waiting for readiness",
      };
}

/** A hibernated cluster has no API server; it is configured when it wakes up, which an event of the Shoot tells. */
export function letSleep({ runtime, shoot, draft }: Scope): Step {
  if (shoot?.status?.hibernated !== true) return next;
  const configured = runtime.status?.conditions?.find(({ type }) => type === "Configured");
  if (configured?.status === "True" && configured.observedGeneration === runtime.metadata.generation) {
    draft.ready(administratorsConfigured);
    return end;
  }
  const message = "The cluster is hibernated and is configured when it wakes up";
  draft.pending({ type: "Configured", status: "Unknown", reason: "Processing", message });
  return end;
}

/** Makes the namespace that Kyma's modules are installed to. */
export async function createNamespace(scope: Scope): Promise<Step> {
  try {
    await (await openCluster(scope)).ensureNamespace("kyma-system");
  } catch (error) {
    throw clusterFailed(scope, error, { type: "Configured", reason: "ConfigurationError", what: "namespaces" });
  }
  return next;
}

/** Gives the cluster its identity providers. */
export async function configureOidc(scope: Scope): Promise<Step> {
  const { runtime, shoot, deps, draft, landscape } = scope;
  const extension = shoot?.spec.extensions?.find(({ type }) => type === oidcExtension);
  const report = { type: "OidcConfigured", status: "True", reason: "OidcConfigured" } as const;
  if (extension === undefined || extension.disabled === true) {
    draft.pending({ ...report, message: "OIDC extension disabled" });
    return next;
  }
  try {
    const cluster = await openCluster(scope);
    for (const index of await cluster.configureOidc(runtime, landscape.config)) {
      const note = `additionalOidcConfig[${index}] is left out: it needs clientID and issuerURL`;
      deps.events.event(runtime, { type: "Warning", reason: "OidcConfigurationErr", note });
    }
  } catch (error) {
    throw clusterFailed(scope, error, { type: "OidcConfigured", reason: "OidcConfigurationErr", what: "OIDC" });
  }
  draft.pending({ ...report, message: "OIDC configuration completed" });
  return next;
}

const administratorsConfigured: Report = {
  type: "Configured",
  status: "True",
  reason: "AdministratorsConfigured",
  message: "Cluster admin configuration complete",
};

/** Makes the administrators of the Runtime those of the cluster; the last step, and the only one that says Ready. */
export async function configureAdministrators(scope: Scope): Promise<Step> {
  const { runtime, draft } = scope;
  try {
    const cluster = await openCluster(scope);
    await cluster.configureAdministrators(runtime.spec.security.administrators);
  } catch (error) {
    throw clusterFailed(scope, error, { type: "Configured", reason: "ConfigurationError", what: "cluster admins" });
  }
  draft.ready(administratorsConfigured);
  return end;
}

interface Failure {
  readonly type: "OidcConfigured" | "Configured";
  readonly reason: "OidcConfigurationErr" | "ConfigurationError";
  readonly what: string;
}

/** A cluster that does not answer for a moment leaves the Runtime Pending; what only a change can help fails it. */
function clusterFailed(scope: Scope, error: unknown, { type, reason, what }: Failure): unknown {
  const message = `failed to configure ${what}: ${textOf(error)}`;
  const isFinal = isAppError(error) && retryOf(error) !== "backoff";
  if (isFinal) stop(scope, { type, reason, message });
  else scope.draft.pending({ type, status: "Unknown", reason, message });
  return error;
}

/** The runtime cluster by its kubeconfig Secret. Throws `KUBECONFIG_MISSING` and what opening it throws. */
export async function openCluster({ runtime, deps, signal }: Scope): Promise<RuntimeCluster> {
  const namespace = runtime.metadata.namespace ?? "";
  const name = kubeconfigSecretName(runtime);
  const secret = deps.controlPlane.secret(namespace, name);
  const encoded = secret?.data?.["config"];
  if (secret === undefined || encoded === undefined) throw kubeconfigErrors.MISSING({ secret: `${namespace}/${name}` });
  const revision = `${secret.metadata.uid ?? ""}/${secret.metadata.resourceVersion ?? ""}`;
  const kubeconfig = (): string => Buffer.from(encoded, "base64").toString("utf8");
  return new RuntimeCluster(await deps.remote.open(`${namespace}/${name}`, revision, kubeconfig), signal);
}
