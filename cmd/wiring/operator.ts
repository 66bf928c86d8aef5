import type { LeaseGroup } from "@kyma-operators/runtime";
import { type Flags, kymaLease, runtimeLease, type Wiring } from "./wiring.ts";

const kymaLoops: ReadonlySet<string> = new Set(["kyma", "mandatory-module", "manifest", "watcher", "purge"]);
const runtimeLoops: ReadonlySet<string> = new Set(["runtime", "gardener-cluster"]);

/** One lease per group of controllers that runs in this process. */
export function leaseGroups(flags: Flags): readonly LeaseGroup[] {
  const times = {
    namespace: flags.namespace,
    enabled: flags["leader-elect"],
    durationMs: flags["leader-election-lease-duration"],
    renewDeadlineMs: flags["leader-election-renew-deadline"],
    retryPeriodMs: flags["leader-election-retry-period"],
    ...(flags["leader-election-part"] === "" ? {} : { part: flags["leader-election-part"] }),
  };
  const groups = [
    { name: kymaLease, loops: kymaLoops, shards: flags.shards },
    { name: runtimeLease, loops: runtimeLoops, shards: 1 },
  ];
  return groups
    .filter(({ loops }) => flags.controllers.some((name) => loops.has(name)))
    .map(({ name, shards }) => ({ name, shards, ...times }));
}

/** Adds the chosen controllers to the manager. A group that is not chosen is not even loaded. */
export async function wireControllers(given: Omit<Wiring, "onClose">): Promise<{ close(): Promise<void> }> {
  const { controllers } = given.flags;
  const closes: (() => Promise<void>)[] = [];
  const wiring: Wiring = { ...given, onClose: (close) => void closes.push(close) };
  if (controllers.some((name) => kymaLoops.has(name))) {
    const { wireLifecycle } = await import("./lifecycle.ts");
    await wireLifecycle(wiring);
  }
  if (controllers.some((name) => runtimeLoops.has(name))) {
    const { wireInfrastructure } = await import("./infrastructure.ts");
    await wireInfrastructure(wiring);
  }
  if (given.flags["dashboard-bind-address"] !== "0") await (await import("./dashboard.ts")).wireDashboard(wiring);
  return {
    close: async () => {
      for (const close of closes.reverse()) await close();
    },
  };
}
