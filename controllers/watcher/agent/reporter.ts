import { redact, textOf } from "@kyma-operators/errors";
import type { Clock } from "@kyma-operators/kube";
import type { Logger, MetricsRegistry } from "@kyma-operators/runtime";
import { Agent, request } from "undici";
import type { TlsData } from "../certificates/gateway-secret.ts";
import type { ChangeEvent } from "./admission.ts";

const attempts = 4;
const firstDelayMs = 500;
const attemptTimeoutMs = 10_000;
const totalTimeoutMs = 180_000;
/** Distinct objects that wait to be reported; a cluster that changes faster is told of in fewer events. */
const mostWaiting = 1000;

export interface ReporterOptions {
  /** `<host>:<port>` of the control plane. */
  readonly address: string;
  readonly tls: TlsData;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

/** Sends events to the control plane over mTLS, in the background, each object's once however often it changes meanwhile. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #agent: Agent;
  readonly #waiting = new Map<string, { readonly manager: string; readonly event: ChangeEvent }>();
  readonly #requests: ReturnType<MetricsRegistry["counter"]>;
  readonly #failures: ReturnType<MetricsRegistry["counter"]>;
  #running: Promise<void> | undefined;

  constructor(options: ReporterOptions) {
    this.#options = options;
    const { crt, key, ca } = options.tls;
    this.#agent = new Agent({ connections: 2, connect: { cert: crt, key, ca, timeout: attemptTimeoutMs } });
    this.#requests = options.metrics.counter("watcher_kcp_requests_total", "Events sent to the control plane");
    this.#failures = options.metrics.counter("watcher_failed_kcp_total", "Events that did not arrive", [
      "error_reason",
    ]);
  }

  /** Never waits and never fails: what a user changes must not depend on the control plane. */
  report(manager: string, event: ChangeEvent): void {
    const { watched, watchedGvk } = event;
    const key = [manager, watchedGvk.group, watchedGvk.kind, watched.Namespace, watched.Name].join("/");
    if (this.#waiting.size >= mostWaiting && !this.#waiting.has(key)) return;
    this.#waiting.set(key, { manager, event });
    this.#running ??= this.#drain();
  }

  /** Resolves when everything that was reported has been sent or given up. */
  async close(): Promise<void> {
    await this.#running;
    await this.#agent.close();
  }

  async #drain(): Promise<void> {
    for (const [key, { manager, event }] of this.#waiting) {
      this.#waiting.delete(key);
      await this.#deliver(manager, event);
    }
    this.#running = undefined;
  }

  async #deliver(manager: string, event: ChangeEvent): Promise<void> {
    const { clock, log } = this.#options;
    const end = clock.now() + totalTimeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.#post(manager, event);
      if (failure === undefined) return;
      if (attempt >= attempts || clock.now() >= end) {
        this.#failures.inc({ error_reason: failure.reason });
        log.warn({ ...event.watched, error: failure.text }, "an event did not arrive at the control plane");
        return;
      }
      await clock.sleep(firstDelayMs * 2 ** (attempt - 1));
    }
  }

  async #post(
    manager: string,
    event: ChangeEvent,
  ): Promise<{ readonly reason: string; readonly text: string } | undefined> {
    this.#requests.inc();
    try {
      const { statusCode, body } = await request(`https://${this.#options.address}/v2/${manager}/event`, {
        dispatcher: this.#agent,
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(event),
        headersTimeout: attemptTimeoutMs,
        bodyTimeout: attemptTimeoutMs,
      });
      await body.dump({ limit: 65_536 });
      return statusCode < 300 ? undefined : { reason: "unexpected-status", text: `answered ${statusCode}` };
    } catch (error) {
      return { reason: "request-failed", text: redact(textOf(error)) };
    }
  }
}
