import type { Shoot } from "@kyma-operators/gardener";
import {
  annotations,
  type GardenerCluster,
  infrastructureManager,
  labels,
  type Runtime,
} from "../../apis/infrastructure/index.ts";

const copied = [
  labels.instanceId,
  labels.runtimeId,
  labels.planId,
  labels.planName,
  labels.globalAccountId,
  labels.subaccountId,
  labels.kymaName,
] as const;

/** Name of a Runtime's GardenerCluster. Runtimes without the label, which can't be built, go by their own name. */
export function gardenerClusterName({ metadata }: Runtime): string {
  return metadata.labels?.[labels.runtimeId] ?? metadata.name ?? "";
}

/** Name of the Secret that carries the kubeconfig of a Runtime. */
export function kubeconfigSecretName(runtime: Runtime): string {
  return `kubeconfig-${gardenerClusterName(runtime)}`;
}

/** The GardenerCluster that keeps the kubeconfig of a Runtime's Shoot fresh. */
export function buildGardenerCluster(runtime: Runtime, shoot: Shoot): GardenerCluster {
  const namespace = runtime.metadata.namespace ?? "";
  const own = copied.flatMap((key) => {
    const value = runtime.metadata.labels?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    apiVersion: "infrastructuremanager.kyma-project.io/v1",
    kind: "GardenerCluster",
    metadata: {
      name: gardenerClusterName(runtime),
      namespace,
      labels: {
        ...Object.fromEntries(own),
        [labels.platformRegion]: runtime.spec.shoot.platformRegion,
        [labels.region]: runtime.spec.shoot.region,
        [labels.shootName]: shoot.metadata.name ?? "",
        [labels.managedBy]: infrastructureManager,
        [labels.internal]: "true",
      },
      annotations: { [annotations.skrDomain]: shoot.spec.dns?.domain ?? "" },
    },
    spec: {
      shoot: { name: shoot.metadata.name ?? "" },
      kubeconfig: { secret: { name: kubeconfigSecretName(runtime), namespace, key: "config" } },
    },
  };
}
