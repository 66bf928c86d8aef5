import type { Client } from "@kyma-operators/kube";
import type { LeaseGroup, Logger, Manager } from "@kyma-operators/runtime";
import type { FlagValues } from "../flags/flags.ts";
import type { operatorFlags } from "../flags/operator.ts";
import { RemoteClients } from "./remote-clients.ts";

export type Flags = FlagValues<typeof operatorFlags>;

/** What every wiring function gets. */
export interface Wiring {
  readonly manager: Manager;
  readonly flags: Flags;
  readonly log: Logger;
  /** The control plane. */
  readonly client: Client;
  readonly remote: RemoteClients;
  readonly userAgent: string;
  /** Called when the process ends, in reverse order. */
  onClose(close: () => Promise<void>): void;
}

/** Lease names of the originals, so that an old and a new leader never act at once. */
export const kymaLease = "893110f7.kyma-project.io";
export const runtimeLease = "f1c68560.kyma-project.io";

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
  };
  const groups = [
    { name: kymaLease, loops: kymaLoops },
    { name: runtimeLease, loops: runtimeLoops },
  ];
  return groups
    .filter(({ loops }) => flags.controllers.some((name) => loops.has(name)))
    .map(({ name }) => ({ name, ...times }));
}

/** Adds the chosen controllers to the manager. A group that is not chosen is not even loaded. */
export async function wireControllers(given: Omit<Wiring, "remote" | "onClose">): Promise<{ close(): Promise<void> }> {
  const { flags, userAgent } = given;
  const remote = new RemoteClients(userAgent);
  const closes: (() => Promise<void>)[] = [() => remote.close()];
  const wiring: Wiring = { ...given, remote, onClose: (close) => void closes.push(close) };
  if (flags.controllers.some((name) => kymaLoops.has(name)))
    await (await import("./lifecycle.ts")).wireLifecycle(wiring);
  if (flags.controllers.some((name) => runtimeLoops.has(name)))
    await (await import("./infrastructure.ts")).wireInfrastructure(wiring);
  return {
    close: async () => {
      for (const close of closes.reverse()) await close();
    },
  };
}
