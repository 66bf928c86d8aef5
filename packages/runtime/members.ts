import type { Client, Clock } from "@kyma-operators/kube";
import { holderOf, type Lease, leases } from "./lease-record.ts";
import { Reflector } from "./reflector.ts";
import type { Random } from "./system-random.ts";
import type { Logger } from "./types.ts";

export interface MembersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly namespace: string;
  /** Selects the leases by which members announce themselves. */
  readonly labelSelector: string;
  readonly onChange: (members: readonly string[]) => void;
}

/**
 * The replicas that are alive, by the leases with which they announce themselves.
 *
 * A member is alive for the duration of its lease after the last change that we have seen; nobody's clock is compared.
 * Views of different replicas may differ for a while. That costs balance, never safety, which rests on the leases of
 * the shards.
 */
export class Members {
  readonly #options: MembersOptions;
  readonly #alive = new Map<string, { readonly holder: string; readonly cancel: () => void }>();

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, random, log, namespace, labelSelector } = this.#options;
    const sink = {
      replace: (items: readonly Lease[]) => this.#replace(items),
      upsert: (lease: Lease) => this.#see(lease),
      remove: (lease: Lease) => this.#drop(nameOf(lease)),
      alive: () => undefined,
      failed: () => undefined,
    };
    const shared = { client, clock, random, log, sink, selection: { namespace, labelSelector }, relistMs: 3_600_000 };
    await new Reflector<Lease>({ ...shared, resource: leases }).run(signal);
    for (const { cancel } of this.#alive.values()) cancel();
  }

  #replace(items: readonly Lease[]): void {
    const names = new Set(items.map((lease) => nameOf(lease)));
    for (const name of this.#alive.keys()) if (!names.has(name)) this.#drop(name);
    for (const lease of items) this.#see(lease);
  }

  #see(lease: Lease): void {
    const name = nameOf(lease);
    const holder = holderOf(lease);
    if (holder === "") return this.#drop(name);
    const before = this.#alive.get(name);
    before?.cancel();
    const aliveMs = (lease.spec?.leaseDurationSeconds ?? 15) * 1000;
    const cancel = this.#options.clock.after(aliveMs, () => this.#drop(name));
    this.#alive.set(name, { holder, cancel });
    if (before?.holder !== holder) this.#changed();
  }

  #drop(name: string): void {
    const member = this.#alive.get(name);
    if (member === undefined) return;
    member.cancel();
    this.#alive.delete(name);
    this.#changed();
  }

  #changed(): void {
    this.#options.onChange([...this.#alive.values()].map(({ holder }) => holder).sort());
  }
}

const nameOf = (lease: Lease): string => lease.metadata.name ?? "";
