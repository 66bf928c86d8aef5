import { type KubeObject, parseTime, timeText } from "@kyma-operators/kube";
import { annotations, type GardenerCluster, infrastructureManager, labels } from "../../apis/infrastructure/index.ts";
import type { Grant } from "./garden.ts";

/** A Secret with a kubeconfig. */
export interface KubeconfigSecret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

/** When the Secret was written and until when it is valid, in milliseconds since the epoch; undefined when unknown. */
export function timesOf({ metadata }: KubeconfigSecret): { readonly lastSync?: number; readonly expiresAt?: number } {
  const lastSync = parseTime(metadata.annotations?.[annotations.lastSync]);
  const expiresAt = parseTime(metadata.annotations?.[annotations.expiresAt]);
  return {
    ...(lastSync === undefined ? {} : { lastSync }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** The whole Secret of a GardenerCluster. */
export function buildSecret(cluster: GardenerCluster, grant: Grant, now: number): KubeconfigSecret {
  const { name, namespace, key } = cluster.spec.kubeconfig.secret;
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "Opaque",
    metadata: { name, namespace, ...marksOf(cluster, grant, now) },
    data: { [key]: grant.kubeconfig.reveal() },
  };
}

/** The change that puts a new kubeconfig into an existing Secret, in one write with its times. */
export function secretPatch(cluster: GardenerCluster, grant: Grant, now: number): object {
  const { key } = cluster.spec.kubeconfig.secret;
  return { metadata: marksOf(cluster, grant, now), data: { [key]: grant.kubeconfig.reveal() } };
}

function marksOf({ metadata }: GardenerCluster, { expiresAt }: Grant, now: number) {
  return {
    labels: {
      ...metadata.labels,
      [labels.managedBy]: infrastructureManager,
      [labels.clusterName]: metadata.name ?? "",
    },
    annotations: { [annotations.lastSync]: timeText(now), [annotations.expiresAt]: timeText(expiresAt) },
  };
}
