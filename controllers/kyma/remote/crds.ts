import { type AnyObject, builtIn, optional } from "@kyma-operators/kube";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { crdName, kymas, moduleReleaseMetas, moduleTemplates } from "../../../apis/operator/group.ts";
import { labels, labelValues } from "../../../apis/operator/labels.ts";
import { forEachBounded } from "../../../modules/bounded.ts";
import { contains } from "../../../modules/write-decision.ts";
import { kymaErrors } from "../errors.ts";
import type { RemoteCluster } from "../options.ts";

const { customResourceDefinitions } = builtIn;

/** CRDs that every remote cluster gets. */
export const remoteCrdNames: readonly string[] = [kymas, moduleTemplates, moduleReleaseMetas].map(crdName);

/** Finds a CRD of the control plane by name. */
export type CrdLookup = (name: string) => AnyObject | undefined;

/**
 * Brings the CRDs of a remote cluster up to date; answers whether all are established. Throws `KYMA_CRD_SYNC` after
 * all were tried.
 */
export async function syncCrds(cluster: RemoteCluster, lookup: CrdLookup, signal: AbortSignal): Promise<boolean> {
  const established: boolean[] = [];
  const [failure] = await forEachBounded(remoteCrdNames, remoteCrdNames.length, async (name) => {
    const crd = lookup(name);
    if (crd === undefined) throw kymaErrors.CRD_MISSING({ name });
    established.push(isEstablished(await ensureCrd(cluster, remoteCrd(crd), signal)));
  });
  if (failure !== undefined) throw kymaErrors.CRD_SYNC({}, failure.error);
  return established.every(Boolean);
}

/** Changes with the schema of any of these CRDs on the control plane; one that is made anew counts from 1 again. */
export function crdRevision(lookup: CrdLookup): string {
  return remoteCrdNames
    .map((name) => lookup(name)?.metadata)
    .map((metadata) => `${metadata?.uid ?? ""}:${metadata?.generation ?? 0}`)
    .join("/");
}

/** A CRD as the remote cluster gets it: the schema, our label and nothing else. */
export function remoteCrd({ metadata, spec }: AnyObject): AnyObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: metadata.name ?? "", labels: { [labels.managedBy]: labelValues.managedByRemote } },
    spec: { ...(spec as object), conversion: { strategy: "None" } },
  };
}

async function ensureCrd({ client }: RemoteCluster, wanted: AnyObject, signal: AbortSignal): Promise<AnyObject> {
  const name = wanted.metadata.name ?? "";
  const present = await optional(client.get({ resource: customResourceDefinitions, name }, { signal }));
  if (present !== undefined && contains(present, wanted)) return present;
  const options = { fieldManager: fieldManagers.lifecycleManager, force: true, signal };
  return client.apply(customResourceDefinitions, wanted, options);
}

function isEstablished({ status }: AnyObject): boolean {
  // A definition that was created just now answers `conditions: null`.
  const { conditions } = (status ?? {}) as { conditions?: readonly { type: string; status: string }[] | null };
  return conditions?.some(({ type, status: value }) => type === "Established" && value === "True") ?? false;
}

/**
 * Deletes a CRD and with it all its objects; answers whether it did.
 *
 * @param own - the same CRD of the control plane. Where the runtime is the control plane itself, it is this very
 * object and stays: with it every Kyma and the catalog would go.
 */
export async function deleteCrd(
  { client }: RemoteCluster,
  name: string,
  own: AnyObject | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const ref = { resource: customResourceDefinitions, name };
  const present = await optional(client.get(ref, { signal }));
  const { uid } = present?.metadata ?? {};
  if (uid === undefined || uid === own?.metadata.uid) return false;
  return (await optional(client.delete(ref, { preconditions: { uid }, signal }).then(() => true))) ?? false;
}
