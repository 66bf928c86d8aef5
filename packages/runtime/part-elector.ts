import { LeaseElector, type LeaseElectorOptions } from "./lease-elector.ts";

/**
 * Leads a part of a group whose controllers run in several processes.
 *
 * All processes hold the lease of the group together, so that none acts beside a process that runs the whole group. The
 * replicas of one part compete for a lease of their own.
 */
export class PartElector {
  readonly #group: LeaseElector;
  readonly #part: LeaseElector;

  constructor(options: LeaseElectorOptions, part: string) {
    this.#group = new LeaseElector({ ...options, identity: "parts", shared: true });
    this.#part = new LeaseElector({ ...options, name: `${options.name}-${part}` });
  }

  /** True while nobody else may act on this part. */
  get held(): boolean {
    return this.#group.held && this.#part.held;
  }

  /** See {@link LeaseElector.run}. */
  run(signal: AbortSignal, lead: (lost: AbortSignal) => Promise<void>): Promise<void> {
    return this.#group.run(signal, (groupLost) =>
      this.#part.run(AbortSignal.any([signal, groupLost]), (partLost) => lead(AbortSignal.any([groupLost, partLost]))),
    );
  }
}
