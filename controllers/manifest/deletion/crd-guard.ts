import type { AnyObject, ManagedFieldsEntry } from "@kyma-operators/kube";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { observe, resourceOf } from "../apply/remote.ts";
import { manifestErrors } from "../errors.ts";
import { describeRef, identityOf, refOf, type SyncedRef } from "../inventory/identity.ts";
import { isRecord, show, valueAt } from "../json.ts";
import { clusterOf, type Pass, syncedOf } from "../pass.ts";
import { claimsOn } from "../sharing/claimed-refs.ts";
import { holdersOf, isKeptForOthers } from "../sharing/ownership.ts";

/** On a CRD of a module: its objects may be deleted together with it. */
export const deleteInstancesLabel = "operator.kyma-project.io/delete-instances";

/** Which CRDs may be deleted, by their uids; or which object of a user would go with one of them. */
export type CrdCheck = { readonly unused: ReadonlySet<string> } | { readonly usedBy: string };

export function isCrd({ kind }: Pick<SyncedRef, "kind">): boolean {
  return kind === "CustomResourceDefinition";
}

/**
 * Looks for a CRD among these of the inventory that still has objects which are not ours. Deleting the CRD would delete
 * them all. One that another Manifest has is not looked at, so nobody may delete it either: by the time of the deletion
 * the other Manifest may be on its way out. A list that fails is thrown, never taken for an empty one.
 */
export async function checkCrds(pass: Pass, refs: readonly SyncedRef[]): Promise<CrdCheck> {
  const unused = new Set<string>();
  for (const ref of refs.filter(isCrd)) {
    const crd = await observe(clusterOf(pass).client, ref, pass.ctx.signal);
    if (crd === undefined || isKeptForOthers(pass, ref, crd)) continue;
    const instances = await foreignInstances(pass, crd);
    if (instances.length > 0) return { usedBy: usageOf(ref, instances) };
    unused.add(crd.metadata.uid ?? "");
  }
  return { unused };
}

function usageOf(crd: SyncedRef, [first, ...rest]: readonly Instance[]): string {
  if (first === undefined) return "";
  const more = rest.length > 0 ? ` and ${rest.length} more` : "";
  const text = `${describeRef(first.ref)}${more} would be deleted with ${describeRef(crd)}`;
  const [holder] = first.holders.toSorted();
  return holder === undefined
    ? `${text}; delete them first`
    : `${text}, and belongs to ${holder} too; let that one bring the ${crd.kind} again, or delete it first`;
}

/** An object of a CRD. */
interface Instance {
  readonly ref: SyncedRef;
  readonly madeByUs: boolean;
  /** Other Manifests (`namespace/name`) that have it. */
  readonly holders: readonly string[];
}

/** Objects of a CRD that are not to be deleted with it. */
async function foreignInstances(pass: Pass, crd: AnyObject): Promise<readonly Instance[]> {
  if (crd.metadata.labels?.[deleteInstancesLabel] === "true") return [];
  const own = new Set(syncedOf(pass).map(identityOf));
  const instances = await instancesOf(pass, crd);
  return instances.filter(
    ({ ref, madeByUs, holders }) => holders.length > 0 || !(madeByUs || own.has(identityOf(ref))),
  );
}

async function instancesOf(pass: Pass, crd: AnyObject): Promise<readonly Instance[]> {
  const { client } = clusterOf(pass);
  const group = show(valueAt(crd, "spec", "group"));
  const kind = show(valueAt(crd, "spec", "names", "kind"));
  const version = servedVersion(crd);
  if (version === undefined) return [];
  const resource = await resourceOf(client, { group, version, kind }, pass.ctx.signal);
  if (resource === undefined) return [];
  try {
    const { items } = await client.list(resource, { metadataOnly: true, signal: pass.ctx.signal });
    return items.map((item) => {
      const ref = { ...refOf(item), group, version, kind };
      return { ref, madeByUs: isMadeByUs(item), holders: claimsOn(ref).flatMap((claim) => holdersOf(pass, claim)) };
    });
  } catch (error) {
    throw manifestErrors.MODULE_CRS_UNKNOWN({ kind }, error);
  }
}

/** A default CR of a former version: we made it, and nobody else has set anything beside its metadata and status. */
function isMadeByUs({ metadata: { managedFields = [] } }: AnyObject): boolean {
  const isOurs = ({ manager }: ManagedFieldsEntry): boolean => manager === fieldManagers.moduleResource;
  return managedFields.some(isOurs) && managedFields.filter((entry) => !isOurs(entry)).every(isIncidental);
}

function isIncidental({ fieldsV1 = {} }: ManagedFieldsEntry): boolean {
  return Object.keys(fieldsV1).every((field) => field === "f:metadata" || field === "f:status");
}

function servedVersion(crd: AnyObject): string | undefined {
  const versions = valueAt(crd, "spec", "versions");
  const served = Array.isArray(versions)
    ? versions.filter(isRecord).find((version) => version["served"] === true)
    : undefined;
  return served === undefined ? undefined : show(served["name"]);
}
