import { hasCode } from "@kyma-operators/errors";
import type { Client, Clock, KubeObject, Resource, WatchEvent } from "@kyma-operators/kube";
import { backoffDelay, retryAfterMs } from "./backoff.ts";
import { Complaints } from "./complaints.ts";
import { compareVersions } from "./resource-versions.ts";
import { SteadyTime } from "./steady-time.ts";
import type { Random } from "./system-random.ts";
import type { Logger } from "./types.ts";

/** Which objects of a kind are followed. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly metadataOnly?: boolean;
}

/** Takes what the reflector reads. Nothing is called after the reflector's signal has aborted. */
export interface ReflectorSink<T extends KubeObject> {
  /** All objects there are, as one list said. */
  replace(items: readonly T[], resourceVersion: string): void;
  upsert(object: T): void;
  remove(object: T): void;
  /** Any sign of life: a list, an event or a bookmark. */
  alive(): void;
  /** A list or watch failed and is tried again after the delay. */
  failed(error: unknown): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Client;
  readonly resource: Resource;
  readonly selection: Selection;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly sink: ReflectorSink<T>;
  /** Age of a list after which everything is listed again, in milliseconds. */
  readonly relistMs: number;
}

const backoff = { firstMs: 800, maxMs: 30_000, jitter: 0.2 };
/** Bookmarks come about once a minute; this lies below the shortest watch, so that silence is found before its end. */
const silenceMs = 240_000;
/** A watch that ends sooner than this without news was refused in disguise. */
const quickMs = 1000;
/** So many watches in a row without use mean that our version is no good. */
const mostUseless = 3;
/** Lists older than what we know are taken for a lagging server, up to this often; then for a restored backup. */
const mostStaleLists = 5;

/** Doubts about a list are not followed more often than this. */
const calmRelistMs = 60_000;
const listAgain = new Error("list again");

/** After these the version we hold means nothing to the server. */
const relistCodes = ["KUBE_GONE", "KUBE_NOT_FOUND", "KUBE_BAD_REQUEST", "KUBE_INVALID"];
/** After these the stream is at fault, not the connection. */
const uselessCodes = ["KUBE_MALFORMED", "KUBE_TOO_LARGE"];

/**
 * Follows a collection for ever: list, then watch from the list's version, and again from what was last seen.
 *
 * No failure ends it. Each one backs off (0.8 s doubled to 30 s, ±20 %, longer when the server asks for it) and
 * either resumes the watch or, where the version may be lost, lists again. Servers may also end a stale watch without
 * saying so: three quick, empty or broken watches in a row list again as well, and so does the age of the list, which
 * heals whatever event a server has lost.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #time: SteadyTime;
  /** The newest version known; undefined asks for a list. */
  #version: string | undefined;
  #newest = "";
  #listedAt = 0;
  #failures = 0;
  #useless = 0;
  #staleLists = 0;
  readonly #complaints: Complaints;
  #round = new AbortController();

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#time = new SteadyTime(options.clock);
    this.#complaints = new Complaints(options.log, { kind: options.resource.kind });
  }

  /** Resolves once the signal has aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#step(signal);
      } catch (error) {
        if (!signal.aborted && error !== listAgain) await this.#backOff(error, signal);
      }
    }
  }

  /** Lists again now, because what was read can't be right; at most once a minute. */
  relist(): void {
    if (this.#time.now() - this.#listedAt < calmRelistMs) return;
    this.#version = undefined;
    this.#round.abort(listAgain);
  }

  async #step(signal: AbortSignal): Promise<void> {
    const isOld = this.#time.now() - this.#listedAt >= this.#options.relistMs;
    if (this.#version === undefined || isOld) await this.#list(signal);
    if (signal.aborted || this.#version === undefined) return;
    const version = this.#version;
    const started = this.#time.now();
    await this.#watch(version, signal);
    if (signal.aborted) return;
    if (this.#version === version && this.#time.now() - started < quickMs) await this.#uselessWatch(signal);
    else this.#succeeded();
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, resource, selection, sink } = this.#options;
    const list = await client.list<T>(resource, { ...selection, signal });
    if (signal.aborted || this.#isStale(list.resourceVersion)) return this.#refuseStale(signal);
    this.#staleLists = 0;
    this.#newest = list.resourceVersion;
    this.#listedAt = this.#time.now();
    this.#version = list.resourceVersion;
    sink.replace(list.items, list.resourceVersion);
    sink.alive();
  }

  #isStale(version: string): boolean {
    return (compareVersions(version, this.#newest) ?? 0) < 0 && this.#staleLists < mostStaleLists;
  }

  async #refuseStale(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#staleLists += 1;
    this.#options.log.debug({ kind: this.#options.resource.kind }, "a list older than the last one was dropped");
    await this.#pause(0, signal);
  }

  /** Resolves when the server has ended the watch. */
  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { client, resource, selection, random } = this.#options;
    this.#round = new AbortController();
    const ending = AbortSignal.any([signal, this.#round.signal]);
    const timeoutSeconds = 300 + Math.floor(random() * 300);
    const options = { ...selection, resourceVersion, timeoutSeconds, idleTimeoutMs: silenceMs, signal: ending };
    for await (const event of client.watch<T>(resource, options)) {
      if (signal.aborted) return;
      this.#take(event);
    }
  }

  #take(event: WatchEvent<T>): void {
    const { sink } = this.#options;
    sink.alive();
    const version = event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.resourceVersion;
    // A repeated event must not take the watch back in time.
    if (version && (compareVersions(version, this.#newest) ?? 1) > 0) {
      this.#version = version;
      this.#newest = version;
      this.#succeeded();
    }
    if (event.type === "DELETED") sink.remove(event.object);
    else if (event.type !== "BOOKMARK") sink.upsert(event.object);
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#useless = 0;
    this.#complaints.succeeded();
  }

  async #uselessWatch(signal: AbortSignal): Promise<void> {
    this.#countUseless();
    await this.#pause(0, signal);
  }

  #countUseless(): void {
    this.#useless += 1;
    if (this.#useless < mostUseless) return;
    this.#useless = 0;
    this.#version = undefined;
  }

  async #backOff(error: unknown, signal: AbortSignal): Promise<void> {
    const { sink } = this.#options;
    if (relistCodes.some((code) => hasCode(error, code))) this.#version = undefined;
    if (uselessCodes.some((code) => hasCode(error, code))) this.#countUseless();
    const message = "the watch fails and is tried again; nothing of the kind is seen meanwhile";
    this.#complaints.failed(error, this.#failures, message);
    sink.failed(error);
    await this.#pause(retryAfterMs(error), signal);
  }

  async #pause(atLeastMs: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const delay = Math.max(atLeastMs, backoffDelay(this.#failures, { ...backoff, random }));
    this.#failures += 1;
    // Only the end of the signal can break this off, and the loop looks at it.
    await clock.sleep(delay, signal).catch(() => undefined);
  }
}
