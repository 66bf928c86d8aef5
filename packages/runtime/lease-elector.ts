import { textOf } from "@kyma-operators/errors";
import { type CallOptions, type Client, type Clock, optional } from "@kyma-operators/kube";
import { Complaints } from "./complaints.ts";
import { runtimeErrors } from "./errors.ts";
import { holderOf, type Lease, leases, releasedLease, takenLease } from "./lease-record.ts";
import { Reflector } from "./reflector.ts";
import type { Random } from "./system-random.ts";
import type { Logger } from "./types.ts";

export interface LeaseTimes {
  /** How long others wait after the last renewal they saw. Default 15 s. */
  readonly durationMs?: number;
  /** How long the holder tries to renew before it gives up. Default 10 s; well below the duration. */
  readonly renewDeadlineMs?: number;
  /** Time between renewals. Default 2 s. */
  readonly retryPeriodMs?: number;
}

export interface LeaseElectorOptions extends LeaseTimes {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly namespace: string;
  readonly name: string;
  /** Who we are; never shared by two processes, unless `shared`. */
  readonly identity: string;
  /** Labels of a lease that is made new. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Several processes hold it together under one identity: nobody gives it back for the others. */
  readonly shared?: boolean;
}

/** What a wait for the lease ended with. */
type Wake = "changed" | "expired" | "stopped";

/**
 * Holds a Lease, or waits for it.
 *
 * A holder is sure of its lease until the renew deadline after the *start* of its last good renewal, by the wall clock
 * and by a timer, whichever is earlier: a suspended process or a clock that is set back can't make it believe longer.
 * Others take over when they have seen no change for the whole duration, measured by a timer of their own and never by
 * comparing clocks. Candidates watch the lease, so a released one is taken at once.
 */
export class LeaseElector {
  readonly #options: LeaseElectorOptions;
  readonly #durationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  #validUntil = 0;
  #cancelExpiry: (() => void) | undefined;
  #expired = true;
  #onExpired: (() => void) | undefined;
  #observed: Lease | undefined;
  #wake: ((why: Wake) => void) | undefined;
  readonly #complaints: Complaints;
  /** Reads and writes in a row that failed. */
  #failures = 0;
  /** Why the last renewal failed. */
  #problem: string | undefined;

  constructor(options: LeaseElectorOptions) {
    this.#options = options;
    this.#complaints = new Complaints(options.log, { lease: options.name, namespace: options.namespace });
    this.#durationMs = options.durationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2000;
  }

  get name(): string {
    return this.#options.name;
  }

  /** True while nobody else may act. Asked before every write. */
  get held(): boolean {
    return !this.#expired && this.#options.clock.now() < this.#validUntil;
  }

  /**
   * Waits for the lease, leads, and waits again when it is lost. Resolves once the signal has aborted and the lease is
   * released.
   *
   * @param lead - runs while the lease is held. Its signal aborts when it is lost; when the whole run is to end, it is
   * told by `signal` itself, and the lease is kept until it has finished.
   */
  async run(signal: AbortSignal, lead: (lost: AbortSignal) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      const lease = await this.#acquire(signal);
      if (lease !== undefined) await this.#hold(lease, signal, lead);
    }
  }

  async #hold(acquired: Lease, signal: AbortSignal, lead: (lost: AbortSignal) => Promise<void>): Promise<void> {
    const { log, name } = this.#options;
    const lost = new AbortController();
    const over = new AbortController();
    this.#onExpired = () => lost.abort(runtimeErrors.LEASE_LOST({ lease: name }));
    if (!this.held) this.#onExpired();
    log.info({ lease: name }, "the lease is ours");
    const renewing = this.#renew(acquired, over.signal);
    try {
      await lead(lost.signal);
    } finally {
      over.abort();
      const last = await renewing;
      this.#onExpired = undefined;
      await this.#release(last, signal);
    }
  }

  /** Renews until told to stop or until the lease is lost; gives the lease as last written. */
  async #renew(acquired: Lease, over: AbortSignal): Promise<Lease> {
    let lease = acquired;
    for (;;) {
      await this.#sleep(this.#retryPeriodMs, over);
      if (over.aborted || !this.held) break;
      lease = await this.#renewOnce(lease);
    }
    if (!this.held) {
      this.#options.log.warn({ lease: this.#options.name, error: this.#problem }, "the lease is lost");
      // The clock may have told before the timer did.
      this.#expire();
    }
    return lease;
  }

  /** No signal ends it, or we would not know which version the server has when we release it. */
  async #renewOnce(lease: Lease): Promise<Lease> {
    const { log, name } = this.#options;
    try {
      const written = await this.#write(lease);
      this.#problem = undefined;
      return written;
    } catch (error) {
      this.#problem = textOf(error);
      log.debug({ lease: name, error: this.#problem }, "the lease was not renewed and is tried again");
      return this.#renewFresh(lease);
    }
  }

  /**
   * Somebody may have written the lease without taking it, above all when it is shared; only its holder matters. One
   * that was deleted is made again: others wait for its whole duration.
   */
  async #renewFresh(lease: Lease): Promise<Lease> {
    const current = await this.#read().then(
      (found) => found ?? this.#newLease(),
      () => undefined,
    );
    if (current === undefined || !this.held) return lease;
    const isNew = versionOf(current) === "";
    if (isNew || holderOf(current) === this.#options.identity) {
      return this.#write(current).catch(() => (isNew ? lease : current));
    }
    this.#expire();
    return current;
  }

  async #acquire(signal: AbortSignal): Promise<Lease | undefined> {
    const watching = new AbortController();
    const stop = AbortSignal.any([signal, watching.signal]);
    const follow = this.#follow(stop);
    try {
      return await this.#contend(signal);
    } finally {
      watching.abort();
      await follow;
    }
  }

  async #contend(signal: AbortSignal): Promise<Lease | undefined> {
    let wake: Wake = "changed";
    while (!signal.aborted) {
      try {
        const taken = await this.#tryTake(wake, signal);
        this.#failures = 0;
        this.#complaints.succeeded();
        if (taken !== undefined) return taken;
        wake = await this.#nextWake(signal);
      } catch (error) {
        // What could not be read can't have been seen to stay the same.
        wake = "changed";
        if (!signal.aborted) await this.#pauseAfter(error, signal);
      }
    }
    return undefined;
  }

  /** Reads the lease and takes it when it is free, ours, or has not changed for its whole duration. */
  async #tryTake(wake: Wake, signal: AbortSignal): Promise<Lease | undefined> {
    const { identity } = this.#options;
    const before = this.#observed;
    const lease = await this.#read(signal);
    if (lease === undefined) {
      // A lease that was deleted may still be believed in by its holder, until it tries to renew.
      return before === undefined || wake === "expired" ? this.#write(this.#newLease(), signal) : undefined;
    }
    this.#observed = lease;
    const unchanged = wake === "expired" && versionOf(before) === versionOf(lease);
    const isFree = holderOf(lease) === "" || holderOf(lease) === identity;
    return isFree || unchanged ? this.#write(lease, signal) : undefined;
  }

  async #pauseAfter(error: unknown, signal: AbortSignal): Promise<void> {
    const { random } = this.#options;
    this.#complaints.failed(error, this.#failures, "the lease can't be read or taken; nobody acts here meanwhile");
    this.#failures += 1;
    await this.#sleep(this.#retryPeriodMs * (1 + 0.2 * random()), signal);
  }

  /** Resolves when the lease changes, has not changed for its duration, or the signal aborts. */
  async #nextWake(signal: AbortSignal): Promise<Wake> {
    const { clock, random } = this.#options;
    const waitMs = this.#waitFor(this.#observed);
    return new Promise((resolve) => {
      const settle = (why: Wake): void => {
        cancel();
        signal.removeEventListener("abort", stopped);
        this.#wake = undefined;
        resolve(why);
      };
      const stopped = (): void => settle("stopped");
      // A little spread, so that candidates do not all write in the same moment.
      const cancel = clock.after(waitMs + Math.round(200 * random()), () => settle("expired"));
      signal.addEventListener("abort", stopped, { once: true });
      this.#wake = settle;
      if (signal.aborted) stopped();
    });
  }

  #waitFor(lease: Lease | undefined): number {
    if (lease === undefined) return this.#retryPeriodMs;
    // The holder decides how long its lease is, as it may run with other flags than we do.
    return Math.max((lease.spec?.leaseDurationSeconds ?? 0) * 1000, this.#durationMs);
  }

  /** Watches the one lease and wakes the candidate when it changes. */
  #follow(stop: AbortSignal): Promise<void> {
    const { client, clock, random, log, namespace, name } = this.#options;
    const changed = (lease: Lease | undefined): void => {
      if (versionOf(lease) === versionOf(this.#observed)) return;
      this.#wake?.("changed");
    };
    const sink = {
      replace: ([lease]: readonly Lease[]) => changed(lease),
      upsert: changed,
      remove: () => changed(undefined),
      alive: () => undefined,
      failed: () => undefined,
    };
    const selection = { namespace, fieldSelector: `metadata.name=${name}` };
    const shared = { client, clock, random, log, selection, sink, relistMs: 3_600_000 };
    return new Reflector<Lease>({ ...shared, resource: leases }).run(stop);
  }

  #read(signal?: AbortSignal): Promise<Lease | undefined> {
    const { client, namespace, name } = this.#options;
    const options = this.#callOptions(signal);
    return optional(client.get<Lease>({ resource: leases, namespace, name }, options));
  }

  #callOptions(signal: AbortSignal | undefined): CallOptions {
    return { timeoutMs: this.#retryPeriodMs * 2, ...(signal === undefined ? {} : { signal }) };
  }

  #newLease(): Lease {
    const { namespace, name, labels } = this.#options;
    const metadata = { namespace, name, ...(labels === undefined ? {} : { labels: { ...labels } }) };
    return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata };
  }

  /** Writes us in as the holder. The time that counts is that before the request: others count from its arrival. */
  async #write(lease: Lease, signal?: AbortSignal): Promise<Lease> {
    const { client, clock, identity } = this.#options;
    const now = clock.now();
    const next = takenLease(lease, { identity, durationMs: this.#durationMs, now });
    const options = this.#callOptions(signal);
    const started = this.#armExpiry();
    const isNew = lease.metadata.resourceVersion === undefined;
    try {
      const written = isNew ? await client.create(leases, next, options) : await client.update(leases, next, options);
      started.confirm(now + this.#renewDeadlineMs);
      this.#observed = written;
      return written;
    } catch (error) {
      started.cancel();
      throw error;
    }
  }

  /** A timer that runs from the start of a renewal and counts once that renewal has succeeded. */
  #armExpiry(): { confirm: (validUntil: number) => void; cancel: () => void } {
    let confirmed = false;
    let fired = false;
    const cancel = this.#options.clock.after(this.#renewDeadlineMs, () => {
      fired = true;
      if (confirmed) this.#expire();
    });
    return {
      cancel,
      confirm: (validUntil) => {
        confirmed = true;
        this.#cancelExpiry?.();
        this.#cancelExpiry = cancel;
        this.#validUntil = validUntil;
        this.#expired = fired;
      },
    };
  }

  #expire(): void {
    this.#cancelExpiry?.();
    this.#expired = true;
    this.#onExpired?.();
  }

  async #release(lease: Lease, signal: AbortSignal): Promise<void> {
    const { client, clock, log, name } = this.#options;
    const wasHeld = this.held;
    this.#expire();
    if (!wasHeld || this.#options.shared === true) return;
    try {
      await client.update(leases, releasedLease(lease, clock.now()), { timeoutMs: this.#retryPeriodMs });
      log.info({ lease: name, stopping: signal.aborted }, "the lease is released");
    } catch (error) {
      log.warn({ lease: name, error: textOf(error) }, "the lease was not released and ends by itself");
    }
  }

  async #sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(delayMs, signal).catch(() => undefined);
  }
}

const versionOf = (lease: Lease | undefined): string => lease?.metadata.resourceVersion ?? "";
