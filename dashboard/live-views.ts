import type { ServerResponse } from "node:http";
import type { Clock } from "@kyma-operators/kube";

export interface LiveViewsOptions {
  readonly clock: Clock;
  /** The present content for a path, as one line. */
  readonly render: (path: string) => string;
  /** How many may watch at once. */
  readonly mostViewers: number;
}

interface Viewer {
  readonly path: string;
  readonly response: ServerResponse;
  /** What it was sent last; the same text is not sent again. */
  sent: string;
  /** Set while it has not taken what was sent. */
  cancelDrop: (() => void) | undefined;
}

/** A fleet in turmoil is shown a few times per second. */
const shortestPauseMs = 250;
const longestPauseMs = 5000;
/** Rendering may take this part of the time. */
const share = 1 / 20;
/** Shows both ends that the connection lives; proxies cut silent ones. */
const heartbeatMs = 15_000;
/** A viewer that takes nothing for so long is dropped. */
const patienceMs = 15_000;

/**
 * Keeps open pages up to date by server-sent events.
 *
 * A page has no history: a viewer gets the newest content only, so a slow one misses what is over, and holds no more
 * than one message. Viewers of one path share one rendering; nobody watching means no work.
 */
export class LiveViews {
  readonly #options: LiveViewsOptions;
  readonly #viewers = new Set<Viewer>();
  #cancelFlush: (() => void) | undefined;
  #cancelHeartbeat: (() => void) | undefined;
  #pauseMs = shortestPauseMs;

  constructor(options: LiveViewsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#viewers.size;
  }

  /** Streams a path until the other side or {@link close} ends it. False: too many watch already. */
  add(path: string, response: ServerResponse): boolean {
    if (this.#viewers.size >= this.#options.mostViewers) return false;
    const viewer: Viewer = { path, response, sent: "", cancelDrop: undefined };
    response.writeHead(200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
    response.on("close", () => this.#remove(viewer));
    response.on("drain", () => this.#caughtUp(viewer));
    this.#viewers.add(viewer);
    this.#send(viewer, this.#options.render(path));
    this.#cancelHeartbeat ??= this.#options.clock.after(heartbeatMs, () => this.#beat());
    return true;
  }

  /** Something has changed: viewers are told soon, at most every quarter of a second. */
  changed(): void {
    if (this.#viewers.size === 0) return;
    this.#cancelFlush ??= this.#options.clock.after(this.#pauseMs, () => this.#flush());
  }

  close(): void {
    this.#cancelFlush?.();
    this.#cancelHeartbeat?.();
    for (const { response } of this.#viewers) response.end();
  }

  #flush(): void {
    this.#cancelFlush = undefined;
    const startedMs = this.#options.clock.now();
    const contents = new Map<string, string>();
    for (const viewer of this.#viewers) {
      if (viewer.cancelDrop !== undefined) continue;
      const content = contents.get(viewer.path) ?? this.#options.render(viewer.path);
      contents.set(viewer.path, content);
      this.#send(viewer, content);
    }
    const tookMs = this.#options.clock.now() - startedMs;
    this.#pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, tookMs / share));
  }

  #send(viewer: Viewer, content: string): void {
    if (content === viewer.sent) return;
    viewer.sent = content;
    this.#write(viewer, `event: view\ndata: ${content}\n\n`);
  }

  #write(viewer: Viewer, text: string): void {
    if (viewer.response.write(text)) return;
    viewer.cancelDrop ??= this.#options.clock.after(patienceMs, () => viewer.response.destroy());
  }

  #caughtUp(viewer: Viewer): void {
    viewer.cancelDrop?.();
    viewer.cancelDrop = undefined;
    this.changed();
  }

  #beat(): void {
    this.#cancelHeartbeat = undefined;
    if (this.#viewers.size === 0) return;
    for (const viewer of this.#viewers) if (viewer.cancelDrop === undefined) this.#write(viewer, ": alive\n\n");
    this.#cancelHeartbeat = this.#options.clock.after(heartbeatMs, () => this.#beat());
  }

  #remove(viewer: Viewer): void {
    viewer.cancelDrop?.();
    this.#viewers.delete(viewer);
  }
}
