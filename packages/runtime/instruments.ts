import type { Clock } from "@kyma-operators/kube";
import type { MetricsExport } from "./metrics.ts";
import type { QueueObserver, WorkQueue } from "./work-queue.ts";

/** What one controller reports, under the names of controller-runtime. */
export interface ControllerMetrics {
  readonly queue: QueueObserver;
  observeQueue(queue: WorkQueue, concurrency: number): void;
  passed(result: "success" | "requeue_after", tookMs: number): void;
  failed(terminal: boolean, tookMs: number): void;
}

const passBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const queueBuckets = [1e-3, 1e-2, 0.1, 0.5, 1, 5, 10, 60, 300, 1000];

/** Instruments of all controllers of one manager; made once, because each observation costs time in every pass. */
export function createInstruments(metrics: MetricsExport, clock: Clock) {
  const total = metrics.counter("controller_runtime_reconcile_total", "Passes by result", ["controller", "result"]);
  const errors = metrics.counter("controller_runtime_reconcile_errors_total", "Failed passes", ["controller"]);
  const terminal = metrics.counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Failed passes that only a change can help",
    ["controller"],
  );
  const time = metrics.histogram("controller_runtime_reconcile_time_seconds", "Duration of a pass", {
    labels: ["controller"],
    buckets: passBuckets,
  });
  const most = metrics.gauge("controller_runtime_max_concurrent_reconciles", "Workers", ["controller"]);
  const active = metrics.gauge("controller_runtime_active_workers", "Workers in a pass", ["controller"]);
  const depth = metrics.gauge("workqueue_depth", "Keys in the queue", ["name", "controller"]);
  const adds = metrics.counter("workqueue_adds_total", "Keys added", ["name", "controller"]);
  const retries = metrics.counter("workqueue_retries_total", "Keys retried", ["name", "controller"]);
  const queued = metrics.histogram("workqueue_queue_duration_seconds", "Time in the queue", {
    labels: ["name", "controller"],
    buckets: queueBuckets,
  });
  const worked = metrics.histogram("workqueue_work_duration_seconds", "Time in work", {
    labels: ["name", "controller"],
    buckets: queueBuckets,
  });
  const unfinished = metrics.gauge("workqueue_unfinished_work_seconds", "Time of all keys in work", [
    "name",
    "controller",
  ]);
  const longest = metrics.gauge("workqueue_longest_running_processor_seconds", "Time of the oldest key in work", [
    "name",
    "controller",
  ]);

  return (controller: string): ControllerMetrics => {
    const one = { controller };
    const both = { name: controller, controller };
    const success = { controller, result: "success" };
    const requeued = { controller, result: "requeue_after" };
    return {
      queue: {
        added: () => adds.inc(both),
        started: (waitedMs) => queued.observe(both, waitedMs / 1000),
        finished: (workedMs) => worked.observe(both, workedMs / 1000),
        retried: () => retries.inc(both),
      },
      observeQueue(queue, concurrency) {
        most.set(one, concurrency);
        metrics.beforeScrape(() => {
          const now = clock.now();
          const ages = queue.workingSince().map((since) => (now - since) / 1000);
          depth.set(both, queue.length);
          active.set(one, ages.length);
          unfinished.set(
            both,
            ages.reduce((sum, age) => sum + age, 0),
          );
          longest.set(both, Math.max(0, ...ages));
        });
      },
      passed(result, tookMs) {
        total.inc(result === "success" ? success : requeued);
        time.observe(one, tookMs / 1000);
      },
      failed(isTerminal, tookMs) {
        total.inc({ controller, result: "error" });
        errors.inc(one);
        if (isTerminal) terminal.inc(one);
        time.observe(one, tookMs / 1000);
      },
    };
  };
}
