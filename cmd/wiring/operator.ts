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
    // Events name the controller that their readers know.
    { loops: kymaLoops, group: { name: kymaLease, shards: flags.shards, component: "lifecycle-manager" } },
    { loops: runtimeLoops, group: { name: runtimeLease, shards: 1 } },
  ];
  return groups
    .filter(({ loops }) => flags.controllers.some((name) => loops.has(name)))
    .map(({ group }) => ({ ...group, ...times }));
}

/** Adds the chosen controllers to the manager. Nothing stays open where that fails. */
export async function wireControllers(given: Omit<Wiring, "onClose">): Promise<{ close(): Promise<void> }> {
  const closes: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const part of closes.reverse()) await part();
  };
  try {
    await wireChosen({ ...given, onClose: (part) => void closes.push(part) });
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A group that is not chosen is not even loaded. */
async function wireChosen(wiring: Wiring): Promise<void> {
  const { controllers, "dashboard-bind-address": dashboard } = wiring.flags;
  if (controllers.some((name) => kymaLoops.has(name))) {
    const { wireLifecycle } = await import("./lifecycle.ts");
    await wireLifecycle(wiring);
  }
  if (controllers.some((name) => runtimeLoops.has(name))) {
    const { wireInfrastructure } = await import("./infrastructure.ts");
    await wireInfrastructure(wiring);
  }
  if (dashboard !== "0") await (await import("./dashboard.ts")).wireDashboard(wiring);
}
