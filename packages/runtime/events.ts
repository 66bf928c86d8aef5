import { createHash } from "node:crypto";
import { hasCode, redact, textOf } from "@kyma-operators/errors";
import { builtIn, type Client, type Clock, type KubeObject, microTimeText } from "@kyma-operators/kube";
import { LRUCache } from "lru-cache";
import type { EventRecorder, Logger } from "./types.ts";

const { events } = builtIn;

export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** For example `kyma-project.io/operator`. */
  readonly controller: string;
  /** The replica. */
  readonly instance: string;
}

type NewEvent = Parameters<EventRecorder["event"]>[1];

/** One event as it was first recorded, and how often it has come back. */
interface Series {
  readonly name: string;
  readonly namespace: string;
  /** Settles once the event itself was sent or dropped. */
  readonly begun: Promise<void>;
  count: number;
  /** The count that the server knows. */
  sent: number;
  /** Sends the count that was gathered, before its time. */
  hurry: (() => void) | undefined;
}

/** An event that comes back within this time continues its series. */
const seriesMs = 600_000;
/** Repetitions are written at most this often; the server needs the count, not each of them. */
const flushMs = 60_000;
const mostSeries = 4096;
const mostWaiting = 1000;
const longestNote = 1024;

/**
 * Records events of events.k8s.io/v1 in the background.
 *
 * An event that comes back unchanged becomes a series with a count. Events are dropped when the server is slow or
 * refuses them: they tell people what happened, and nothing depends on them.
 */
export class BackgroundRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series: LRUCache<string, Series>;
  readonly #work = new Set<Promise<void>>();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    const perf = { now: () => options.clock.now() };
    this.#series = new LRUCache({ max: mostSeries, ttl: seriesMs, updateAgeOnGet: true, ttlResolution: 0, perf });
  }

  /** The same recorder under another name of the controller. */
  reportingAs(controller: string): EventRecorder {
    return { event: (regarding, event) => this.#record(regarding, event, controller) };
  }

  event(regarding: KubeObject, event: NewEvent): void {
    this.#record(regarding, event, this.#options.controller);
  }

  #record(regarding: KubeObject, event: NewEvent, controller: string): void {
    if (this.#work.size >= mostWaiting) return;
    const note = shorten(redact(event.note));
    const { uid, name } = regarding.metadata;
    const key = JSON.stringify([controller, uid, name, event.type, event.reason, note]);
    const series = this.#series.get(key);
    if (series === undefined) this.#begin(key, regarding, { ...event, note, controller });
    else this.#continue(series);
  }

  /** Resolves when what was recorded so far has been sent or dropped. */
  async flush(): Promise<void> {
    for (const { hurry } of this.#series.values()) hurry?.();
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #begin(key: string, regarding: KubeObject, event: NewEvent & { readonly controller: string }): void {
    const { clock, instance } = this.#options;
    const now = clock.now();
    const { namespace = "default", name = "" } = regarding.metadata;
    const unique = createHash("sha256").update(`${key}${now}${instance}`).digest("hex").slice(0, 16);
    const eventName = `${name.slice(0, 230)}.${unique}`;
    const begun = this.#send(async (client) => {
      await client.create(events, {
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: { name: eventName, namespace },
        eventTime: microTimeText(now),
        type: event.type,
        reason: event.reason.slice(0, 128),
        action: (event.action ?? event.reason).slice(0, 128),
        note: event.note,
        regarding: referenceTo(regarding),
        reportingController: event.controller,
        reportingInstance: instance.slice(0, 128),
      });
    });
    this.#series.set(key, { name: eventName, namespace, begun, count: 1, sent: 1, hurry: undefined });
  }

  #continue(series: Series): void {
    series.count += 1;
    // The second occurrence is news; further ones are gathered, also while the first is on its way.
    if (series.count === 2) return this.#patchSeries(series);
    if (series.hurry !== undefined) return;
    const flush = (): void => {
      cancel();
      series.hurry = undefined;
      this.#patchSeries(series);
    };
    const cancel = this.#options.clock.after(flushMs, flush);
    series.hurry = flush;
  }

  #patchSeries(series: Series): void {
    const ref = { resource: events, namespace: series.namespace, name: series.name };
    const lastObservedTime = microTimeText(this.#options.clock.now());
    void this.#send(async (client) => {
      await series.begun;
      if (series.sent === series.count) return;
      series.sent = series.count;
      await client.mergePatch(ref, { series: { count: series.count, lastObservedTime } });
    });
  }

  #send(request: (client: Client) => Promise<void>): Promise<void> {
    const { client, log } = this.#options;
    const work = request(client).catch((error: unknown) => {
      // The namespace, or the event itself, may be gone already.
      if (!hasCode(error, "KUBE_NOT_FOUND")) log.debug({ error: textOf(error) }, "an event was dropped");
    });
    this.#work.add(work);
    return work.finally(() => this.#work.delete(work));
  }
}

const shorten = (note: string): string =>
  Buffer.byteLength(note) <= longestNote
    ? note
    : `${Buffer.from(note)
        .subarray(0, longestNote - 6)
        .toString("utf8")}…`;

function referenceTo({ apiVersion, kind, metadata }: KubeObject): Record<string, unknown> {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}
