import type { AnyObject } from "@kyma-operators/kube";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { digestOf } from "../inventory/digest.ts";

/**
 * Digest of the fields that the API server counts as ours on a live object, or `undefined` when there are none.
 *
 * Whoever changes or removes a field of ours by an update takes it over, so this digest changes exactly when somebody
 * else has written what we apply. Status updates and fields of others do not touch it, unlike the resource version.
 */
export function ownedDigest(live: AnyObject): string | undefined {
  const entry = live.metadata.managedFields?.find(
    ({ manager, operation, subresource }) =>
      manager === fieldManagers.manifestApplier && operation === "Apply" && (subresource ?? "") === "",
  );
  return entry?.fieldsV1 === undefined ? undefined : digestOf(entry.fieldsV1);
}

/** Other managers of the object that write to its main resource, for messages. */
export function otherManagers(live: AnyObject): readonly string[] {
  const managers = (live.metadata.managedFields ?? [])
    .filter(({ manager, subresource }) => manager !== fieldManagers.manifestApplier && (subresource ?? "") === "")
    .map(({ manager }) => manager ?? "unknown");
  return [...new Set(managers)];
}
