import { textOf } from "@kyma-operators/errors";
import type { Client, Clock } from "@kyma-operators/kube";
import { aborted } from "./aborted.ts";
import { assignShards, hash32, shardOf } from "./consistent-hash.ts";
import { runtimeErrors } from "./errors.ts";
import { LeaseElector, type LeaseTimes } from "./lease-elector.ts";
import { Members } from "./members.ts";
import { CountedPermit, type Permit } from "./permit.ts";
import type { Random } from "./system-random.ts";
import type { Logger } from "./types.ts";

export interface ShardingOptions extends LeaseTimes {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly shards: number;
  /** How long passes of a shard may take to end when the shard goes to somebody else. */
  readonly drainMs: number;
  /** Called when a shard has become ours: its keys must be looked at again. */
  readonly onGained: (shard: number) => void;
}

const memberLabel = "lease-group";

interface Holding {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  permit: CountedPermit | undefined;
}

/**
 * Splits keys over shards and shards over the replicas that are alive.
 *
 * Three kinds of leases: one of the group, held by all replicas together under a name that tells the number of shards,
 * so that replicas with another number (or with none) never act at the same time; one per replica, by which it
 * announces itself; and one per shard, without which nobody acts on its keys.
 */
export class Sharding {
  readonly #options: ShardingOptions;
  readonly #layout: LeaseElector;
  readonly #holdings = new Map<number, Holding>();
  #wanted: ReadonlySet<number> = new Set();
  #over: AbortSignal | undefined;

  constructor(options: ShardingOptions) {
    this.#options = options;
    const identity = `${options.shards}-shards`;
    this.#layout = new LeaseElector({ ...options, identity, shared: true });
  }

  /** The shards held now. */
  get held(): readonly number[] {
    return [...this.#holdings].filter(([, { permit }]) => permit?.held).map(([shard]) => shard);
  }

  /** The permit for a key, by the name that decides about its shard; undefined when it is somebody else's. */
  permitFor(name: string): Permit | undefined {
    const permit = this.#holdings.get(shardOf(name, this.#options.shards))?.permit;
    return permit?.open === true ? permit : undefined;
  }

  /** Takes part until the signal aborts, then gives everything back. */
  run(signal: AbortSignal): Promise<void> {
    return this.#layout.run(signal, (lost) => this.#takePart(AbortSignal.any([signal, lost])));
  }

  async #takePart(over: AbortSignal): Promise<void> {
    const { client, clock, random, log, namespace, name, identity } = this.#options;
    this.#over = over;
    const labels = { [memberLabel]: name };
    const memberName = `${name}-member-${hash32(identity).toString(16).padStart(8, "0")}`;
    const member = new LeaseElector({ ...this.#options, name: memberName, labels });
    const shared = { client, clock, random, log, namespace };
    const members = new Members({
      ...shared,
      labelSelector: `${memberLabel}=${name}`,
      onChange: (alive) => this.#rebalance(alive),
    });
    await Promise.all([member.run(over, (lost) => aborted(AbortSignal.any([over, lost]))), members.run(over)]);
    this.#want(new Set());
    await Promise.all([...this.#holdings.values()].map(({ ended }) => ended));
  }

  #rebalance(alive: readonly string[]): void {
    const { shards, identity, log, name } = this.#options;
    if (this.#over?.aborted !== false) return;
    const mine = [...assignShards(shards, alive)].filter(([, member]) => member === identity);
    log.info({ lease: name, members: alive.length, shards: mine.length }, "the shards are divided anew");
    this.#want(new Set(mine.map(([shard]) => shard)));
  }

  #want(wanted: ReadonlySet<number>): void {
    this.#wanted = wanted;
    for (const [shard, { stop }] of this.#holdings) {
      if (!wanted.has(shard)) stop.abort(runtimeErrors.STOPPED({ what: `shard ${shard}` }));
    }
    for (const shard of wanted) if (!this.#holdings.has(shard)) this.#contend(shard);
  }

  #contend(shard: number): void {
    const stop = new AbortController();
    const elector = new LeaseElector({ ...this.#options, name: `${this.#options.name}-shard-${shard}` });
    const ended = elector
      .run(stop.signal, (lost) => this.#hold(shard, elector, { stop: stop.signal, lost }))
      .catch((error: unknown) => this.#options.log.error({ shard, error: textOf(error) }, "a shard was given up"))
      .finally(() => {
        this.#holdings.delete(shard);
        // It may have been wanted again while it was being given back.
        if (this.#wanted.has(shard) && this.#over?.aborted === false) this.#contend(shard);
      });
    this.#holdings.set(shard, { stop, ended, permit: undefined });
  }

  async #hold(shard: number, elector: LeaseElector, signals: { stop: AbortSignal; lost: AbortSignal }): Promise<void> {
    const { clock, drainMs, onGained } = this.#options;
    const { stop, lost } = signals;
    const late = new AbortController();
    const permit = new CountedPermit(AbortSignal.any([lost, late.signal]), () => elector.held && this.#layout.held);
    const holding = this.#holdings.get(shard);
    if (holding !== undefined) holding.permit = permit;
    onGained(shard);
    await aborted(AbortSignal.any([stop, lost]));
    const cancel = clock.after(drainMs, () => late.abort(runtimeErrors.STOPPED({ what: `shard ${shard}` })));
    await permit.close();
    cancel();
    if (holding !== undefined) holding.permit = undefined;
  }
}
