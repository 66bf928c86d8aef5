import type { Client } from "@kyma-operators/kube";
import type { Logger, Manager } from "@kyma-operators/runtime";
import type { FlagValues } from "../flags/flags.ts";
import type { operatorFlags } from "../flags/operator.ts";

export type Flags = FlagValues<typeof operatorFlags>;

/** What every wiring function gets. */
export interface Wiring {
  readonly manager: Manager;
  readonly flags: Flags;
  readonly log: Logger;
  /** The control plane. */
  readonly client: Client;
  /** A client of the control plane whose only credential is what this gives; it is asked before every request. */
  readonly clientWith: (token: () => Promise<string>) => Client;
  readonly userAgent: string;
  /** Called when the process ends, in reverse order. */
  onClose(close: () => Promise<void>): void;
}

/** Lease names of the originals, so that an old and a new leader never act at once. */
export const kymaLease = "893110f7.kyma-project.io";
export const runtimeLease = "f1c68560.kyma-project.io";
