import type { LeaseGroup, Manager } from "@kyma-operators/runtime";
import type { FlagValues } from "./flags/flags.ts";
import type { operatorFlags } from "./flags/operator.ts";

type Flags = FlagValues<typeof operatorFlags>;

/** Lease names of the originals, so that an old and a new leader never act at once. */
const kymaLease = "893110f7.kyma-project.io";
const runtimeLease = "f1c68560.kyma-project.io";

/** One lease per controller group. */
export function leaseGroups(flags: Flags): readonly LeaseGroup[] {
  const times = {
    namespace: flags.namespace,
    enabled: flags["leader-elect"],
    durationMs: flags["leader-election-lease-duration"],
    renewDeadlineMs: flags["leader-election-renew-deadline"],
    retryPeriodMs: flags["leader-election-retry-period"],
  };
  return [kymaLease, runtimeLease].map((name) => ({ name, ...times }));
}

export async function wireControllers(_: {
  manager: Manager;
  flags: Flags;
  log: unknown;
  metrics: unknown;
}): Promise<{ close(): Promise<void> }> {
  return { close: async () => undefined };
}
