import { createHash } from "node:crypto";
import { hasCode, redact, textOf } from "@kyma-operators/errors";
import { type Client, type Clock, type KubeObject, microTimeText, type Resource } from "@kyma-operators/kube";
import { LRUCache } from "lru-cache";
import type { EventRecorder, Logger } from "./types.ts";

const events: Resource = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
};

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
  count: number;
  /** The count that the server knows. */
  sent: number;
  sending: boolean;
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

  event(regarding: KubeObject, event: NewEvent): void {
    if (this.#work.size >= mostWaiting) return;
    const note = shorten(redact(event.note));
    const key = JSON.stringify([regarding.metadata.uid, regarding.metadata.name, event.type, event.reason, note]);
    const series = this.#series.get(key);
    if (series === undefined) this.#begin(key, regarding, { ...event, note });
    else this.#continue(series);
  }

  /** Resolves when what was recorded so far has been sent or dropped. */
  async flush(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #begin(key: string, regarding: KubeObject, event: NewEvent): void {
    const { clock, controller, instance } = this.#options;
    const now = clock.now();
    const { namespace = "default", name = "" } = regarding.metadata;
    const unique = createHash("sha256").update(`${key}${now}${instance}`).digest("hex").slice(0, 16);
    const series = { name: `${name.slice(0, 230)}.${unique}`, namespace, count: 1, sent: 1, sending: false };
    this.#series.set(key, series);
    this.#send(async (client) => {
      await client.create(events, {
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: { name: series.name, namespace },
        eventTime: microTimeText(now),
        type: event.type,
        reason: event.reason.slice(0, 128),
        action: (event.action ?? event.reason).slice(0, 128),
        note: event.note,
        regarding: referenceTo(regarding),
        reportingController: controller,
        reportingInstance: instance.slice(0, 128),
      });
    });
  }

  #continue(series: Series): void {
    const { clock } = this.#options;
    series.count += 1;
    if (series.sending) return;
    series.sending = true;
    // The second occurrence is news; further ones are gathered.
    const delayMs = series.sent === 1 ? 0 : flushMs;
    const flush = (): void => {
      series.sending = false;
      this.#patchSeries(series);
    };
    if (delayMs === 0) flush();
    else clock.after(delayMs, flush);
  }

  #patchSeries(series: Series): void {
    const ref = { resource: events, namespace: series.namespace, name: series.name };
    const lastObservedTime = microTimeText(this.#options.clock.now());
    series.sent = series.count;
    this.#send(async (client) => {
      await client.mergePatch(ref, { series: { count: series.count, lastObservedTime } });
    });
  }

  #send(request: (client: Client) => Promise<void>): void {
    const { client, log } = this.#options;
    const work = request(client).catch((error: unknown) => {
      // The namespace, or the event itself, may be gone already.
      if (!hasCode(error, "KUBE_NOT_FOUND")) log.debug({ error: textOf(error) }, "an event was dropped");
    });
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
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
