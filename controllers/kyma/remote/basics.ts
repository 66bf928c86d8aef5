import { type AnyObject, builtIn, optional } from "@kyma-operators/kube";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { labels, labelValues } from "../../../apis/operator/labels.ts";
import { contains } from "../../../modules/write-decision.ts";
import type { RemoteCluster } from "../options.ts";
import type { Secret } from "./access-secrets.ts";

const { namespaces, secrets } = builtIn;

/** Makes sure that the namespace of our objects is there, with the labels that Istio and the image check look for. */
export async function ensureNamespace({ client }: RemoteCluster, name: string, signal: AbortSignal): Promise<void> {
  const wanted: AnyObject = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name,
      labels: {
        [labels.managedBy]: labelValues.managedByRemote,
        [labels.istioInjection]: labelValues.enabled,
        [labels.wardenValidate]: labelValues.enabled,
      },
    },
  };
  const present = await optional(client.get({ resource: namespaces, name }, { signal }));
  if (present !== undefined && contains(present.metadata, wanted.metadata)) return;
  await client.apply(namespaces, wanted, { fieldManager: fieldManagers.kymaSyncContext, force: true, signal });
}

/** Copies the image pull Secret of the control plane with its labels, annotations, type and data. */
export async function copyPullSecret(
  { client }: RemoteCluster,
  source: Secret,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const { name = "", labels: own, annotations } = source.metadata;
  const wanted: AnyObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, ...(own ? { labels: own } : {}), ...(annotations ? { annotations } : {}) },
    ...(source.type === undefined ? {} : { type: source.type }),
    ...(source.data === undefined ? {} : { data: source.data }),
  };
  const present = await optional(client.get({ resource: secrets, namespace, name }, { signal }));
  if (present !== undefined && contains(present, wanted)) return;
  await client.apply(secrets, wanted, { fieldManager: fieldManagers.lifecycleManager, force: true, signal });
}
