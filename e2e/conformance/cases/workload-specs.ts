import type { ConformanceCase } from "../case.ts";
import { changed, refusals } from "./refusals.ts";

const base = {
  selector: { matchLabels: { a: "b" } },
  template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
};
const job = { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } };

/** What kinds that run Pods may not say. */
export const workloadSpecs: readonly ConformanceCase[] = [
  ...refusals(
    "Deployment",
    "/apis/apps/v1/namespaces/{ns}/deployments",
    changed(base, {
      minReady: { minReadySeconds: -1 },
      history: { revisionHistoryLimit: -1 },
      progress: { progressDeadlineSeconds: -1 },
      "progress<min": { progressDeadlineSeconds: 5, minReadySeconds: 10 },
      "labels bad": {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b", "c d": "e f" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
      "anns bad": {
        template: {
          metadata: { labels: { a: "b" }, annotations: { "c d": "e" } },
          spec: { containers: [{ name: "c", image: "i" }] },
        },
      },
      "sa unknown": {
        template: {
          metadata: { labels: { a: "b" } },
          spec: { serviceAccountName: "nope", containers: [{ name: "c", image: "i" }] },
        },
      },
      active: {
        template: {
          metadata: { labels: { a: "b" } },
          spec: { activeDeadlineSeconds: 5, containers: [{ name: "c", image: "i" }] },
        },
      },
      "selector op": { selector: { matchExpressions: [{ key: "a", operator: "Foo" }] } },
      "selector In none": { selector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      "surge neg": { strategy: { rollingUpdate: { maxSurge: -1 } } },
      "unavail >100": { strategy: { rollingUpdate: { maxUnavailable: "101%" } } },
    }),
  ),
  ...refusals(
    "StatefulSet",
    "/apis/apps/v1/namespaces/{ns}/statefulsets",
    changed(
      { ...base, serviceName: "x" },
      {
        policy: { podManagementPolicy: "X" },
        update: { updateStrategy: { type: "X" } },
        partition: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: -1 } } },
        "pvc none": { volumeClaimTemplates: [{ metadata: { name: "v" }, spec: {} }] },
        serviceName: { serviceName: "A b" },
      },
    ),
  ),
  ...refusals(
    "DaemonSet",
    "/apis/apps/v1/namespaces/{ns}/daemonsets",
    changed(base, {
      update: { updateStrategy: { type: "X" } },
      "both zero": { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0 } } },
      minReady: { minReadySeconds: -1 },
    }),
  ),
  ...refusals(
    "Job",
    "/apis/batch/v1/namespaces/{ns}/jobs",
    changed(job, {
      "indexed none": { completionMode: "Indexed" },
      mode: { completionMode: "X" },
      backoff: { backoffLimit: -1 },
    }),
  ),
  ...refusals(
    "CronJob",
    "/apis/batch/v1/namespaces/{ns}/cronjobs",
    changed(
      { schedule: "* * * * *", jobTemplate: { spec: job } },
      {
        policy: { concurrencyPolicy: "X" },
        "tz in schedule": { schedule: "TZ=UTC * * * * *" },
        "6 fields": { schedule: "* * * * * *" },
        "minute 60": { schedule: "60 * * * *" },
      },
    ),
  ),
];
