import type { Manifest } from "../../../apis/operator/manifest.ts";
import { digestOf } from "../inventory/digest.ts";

/** Somebody asked for a check. */
export interface CheckRequest {
  readonly atMs: number;
}

/** Repairs in a row after which somebody is fighting with us. */
export const fightAfter = 3;
const firstPauseMs = 60_000;
/** A cluster that sends event after event is compared at most this often. */
const shortestMs = 1_000;

/**
 * Decides when a Ready Manifest is compared with its cluster.
 *
 * Checks are spread over the interval by the Manifest's Kyma, so that the Manifests of one cluster are checked together
 * and the fleet is not checked at once, not even after a restart. Nothing here decides on the outcome: after a restart
 * a check is merely due a little earlier or later.
 */
export class Verification {
  readonly #intervalMs: number;
  readonly #startedMs: number;
  readonly #verified = new Map<string, number>();
  readonly #requested = new Map<string, CheckRequest>();
  readonly #fights = new Map<string, { readonly repairs: number; readonly notBeforeMs: number }>();

  constructor(intervalMs: number, startedMs: number) {
    this.#intervalMs = intervalMs;
    this.#startedMs = startedMs;
  }

  /** Counts a repair; tells how often in a row it was needed. After a few, the next check waits longer each time. */
  repaired(key: string, nowMs: number): number {
    const repairs = (this.#fights.get(key)?.repairs ?? 0) + 1;
    const pauseMs = repairs < fightAfter ? 0 : Math.min(firstPauseMs * 2 ** (repairs - fightAfter), this.#intervalMs);
    this.#fights.set(key, { repairs, notBeforeMs: nowMs + pauseMs });
    return repairs;
  }

  /** Asks for a check at the next pass: an event says that something may have changed. */
  request(key: string, nowMs: number): void {
    this.#requested.set(key, { atMs: nowMs });
  }

  /** The request for a check that has not been answered yet. */
  pending(key: string): CheckRequest | undefined {
    return this.#requested.get(key);
  }

  isDue(key: string, manifest: Manifest, nowMs: number): boolean {
    if (nowMs < this.#notBefore(key)) return false;
    return this.#requested.has(key) || nowMs >= this.#dueAt(key, manifest);
  }

  /** Milliseconds until the next check. */
  delayMs(key: string, manifest: Manifest, nowMs: number): number {
    const pausedMs = this.#requested.has(key) ? this.#notBefore(key) - nowMs : Infinity;
    return Math.max(Math.min(this.#dueAt(key, manifest) - nowMs, pausedMs), 0);
  }

  /** The cluster is as it should be without our help: whatever fought with us has stopped. */
  calm(key: string, nowMs: number, answered: CheckRequest | undefined): void {
    this.#fights.delete(key);
    this.done(key, nowMs, answered);
  }

  /**
   * The cluster was as it should be, or has been made so.
   *
   * @param answered - the request as it was when the pass began; one that came later stays.
   */
  done(key: string, nowMs: number, answered: CheckRequest | undefined): void {
    this.#verified.set(key, nowMs);
    if (this.#requested.get(key) === answered) this.#requested.delete(key);
  }

  forget(key: string): void {
    this.#verified.delete(key);
    this.#requested.delete(key);
    this.#fights.delete(key);
  }

  #notBefore(key: string): number {
    return Math.max(this.#fights.get(key)?.notBeforeMs ?? 0, (this.#verified.get(key) ?? -Infinity) + shortestMs);
  }

  /** The first moment of the Manifest's phase after the last check, or after the start. */
  #dueAt(key: string, manifest: Manifest): number {
    const last = this.#verified.get(key) ?? this.#startedMs;
    const phase = phaseOf(manifest) * this.#intervalMs;
    const rounds = Math.floor((last - phase) / this.#intervalMs) + 1;
    return rounds * this.#intervalMs + phase;
  }
}

/** A number in [0, 1) that is the same for all Manifests of a Kyma. */
function phaseOf({ metadata }: Manifest): number {
  const kyma = metadata.labels?.["operator.kyma-project.io/kyma-name"] ?? metadata.name ?? "";
  return Number.parseInt(digestOf(kyma).slice(0, 8), 16) / 2 ** 32;
}
