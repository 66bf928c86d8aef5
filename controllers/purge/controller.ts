import type { ManagerContext } from "@kyma-operators/runtime";
import { dropStoredVersions, parseVersionMap } from "./stored-versions.ts";

const retryMs = 10_000;
const maxRetryMs = 3_600_000;

export interface PurgeOptions {
  /** Versions to drop, for example `Kyma:v1beta1,Manifest:v1beta1`. */
  readonly dropStoredVersions: string;
}

/**
 * Clears what former releases have left behind, once per start and only while the lease is held. Finalizers of the
 * former purge controller and old conditions go with the Kyma controller's own passes.
 */
export function addPurge(manager: ManagerContext, options: PurgeOptions): void {
  const { client, clock, log } = manager;
  const versions = parseVersionMap(options.dropStoredVersions);
  manager.addRunnable("stored-versions", async (signal) => {
    // Where Kymas are split over replicas, only one of them may write, and it may take a while to become the one.
    for (let waitMs = retryMs; !signal.aborted; waitMs = Math.min(2 * waitMs, maxRetryMs)) {
      if (await dropStoredVersions(client, { versions, log }, signal)) return;
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  });
}
