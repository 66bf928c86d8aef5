import type { ManagerContext } from "@kyma-operators/runtime";
import { dropStoredVersions, parseVersionMap } from "./stored-versions.ts";

/**
 * Clears what former releases have left behind, once per start and only while the lease is held. Finalizers of the
 * former purge controller and old conditions go with the Kyma controller's own passes.
 */
export function addPurge(manager: ManagerContext, options: { readonly dropStoredVersions: string }): void {
  const versions = parseVersionMap(options.dropStoredVersions);
  manager.addRunnable(
    "stored-versions",
    async (signal) => dropStoredVersions(manager.client, versions, manager.log, signal),
    { needsLease: true },
  );
}
