import type { AnyObject } from "@kyma-operators/kube";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { observe, resourceOf } from "../apply/remote.ts";
import { manifestErrors } from "../errors.ts";
import { describeRef, identityOf, refOf, type SyncedRef } from "../inventory/identity.ts";
import { isRecord, show, valueAt } from "../json.ts";
import { clusterOf, type Pass, syncedOf } from "../pass.ts";
import { keptForOthers } from "../sharing/ownership.ts";

/** On a CRD of a module: its objects may be deleted together with it. */
export const deleteInstancesLabel = "operator.kyma-project.io/delete-instances";

/**
 * Looks for a CRD among these of the inventory that still has objects which are not ours, and says which. Deleting the CRD would
 * delete them all; one that another Manifest has too is not deleted. `undefined`: none. A list that fails is thrown, never taken for an empty one.
 */
export async function findUsedCrd(pass: Pass, refs: readonly SyncedRef[]): Promise<string | undefined> {
  const own = new Set(syncedOf(pass).map(identityOf));
  const crds = refs.filter(({ kind }) => kind === "CustomResourceDefinition");
  const isOthers = keptForOthers(pass, crds);
  for (const ref of crds) {
    const crd = await observe(clusterOf(pass).client, ref, pass.ctx.signal);
    if (crd === undefined || isOthers(ref, crd) || crd.metadata.labels?.[deleteInstancesLabel] === "true") continue;
    const foreign = (await instancesOf(pass, crd)).filter((object) => !own.has(identityOf(object)));
    const [first] = foreign;
    if (first !== undefined) {
      const rest = foreign.length > 1 ? ` and ${foreign.length - 1} more` : "";
      return `${describeRef(first)}${rest} would be deleted with ${describeRef(ref)}; delete them first`;
    }
  }
  return undefined;
}

async function instancesOf(pass: Pass, crd: AnyObject): Promise<readonly SyncedRef[]> {
  const { client } = clusterOf(pass);
  const group = show(valueAt(crd, "spec", "group"));
  const kind = show(valueAt(crd, "spec", "names", "kind"));
  const version = servedVersion(crd);
  if (version === undefined) return [];
  const resource = await resourceOf(client, { group, version, kind }, pass.ctx.signal);
  if (resource === undefined) return [];
  try {
    const { items } = await client.list(resource, { metadataOnly: true, signal: pass.ctx.signal });
    return items.filter((item) => !isMadeByUs(item)).map((item) => ({ ...refOf(item), group, version, kind }));
  } catch (error) {
    throw manifestErrors.MODULE_CRS_UNKNOWN({ kind }, error);
  }
}

/** A default CR of a former version: we made it, nobody made it theirs. */
function isMadeByUs({ metadata }: AnyObject): boolean {
  return metadata.managedFields?.some(({ manager }) => manager === fieldManagers.moduleResource) === true;
}

function servedVersion(crd: AnyObject): string | undefined {
  const versions = valueAt(crd, "spec", "versions");
  const served = Array.isArray(versions)
    ? versions.filter(isRecord).find((version) => version["served"] === true)
    : undefined;
  return served === undefined ? undefined : show(served["name"]);
}
