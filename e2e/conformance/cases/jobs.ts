import type { ConformanceCase } from "../case.ts";
import {
  change,
  counted,
  ended,
  jobs,
  make,
  one,
  pods,
  ready,
  services,
  show,
  slices,
  template,
  until,
} from "./workload-steps.ts";

/** Jobs and the endpoints of Services. */
export const jobsAndEndpoints: readonly ConformanceCase[] = [
  one(
    "a Job ends with its Pod",
    make(jobs, { metadata: { name: "job" }, spec: { template: template({ restartPolicy: "Never" }) } }),
    counted(pods, 1),
    until(`${jobs}/job`, { status: { active: 1, ready: 0 } }),
    ended("{p0}", "Succeeded"),
    until(`${jobs}/job`, {
      status: {
        succeeded: 1,
        conditions: [
          {
            type: "SuccessCriteriaMet",
            status: "True",
            reason: "CompletionsReached",
            message: "Reached expected number of succeeded pods",
          },
          { type: "Complete", status: "True", reason: "CompletionsReached" },
        ],
      },
    }),
    show(`${jobs}/job`, "status.active", "status.terminating", "status.ready", "status.failed"),
  ),
  one(
    "a Job fails at its limit",
    make(jobs, {
      metadata: { name: "job" },
      spec: { backoffLimit: 0, template: template({ restartPolicy: "Never" }) },
    }),
    counted(pods, 1),
    ended("{p0}", "Failed"),
    until(`${jobs}/job`, {
      status: {
        failed: 1,
        conditions: [
          { type: "FailureTarget", status: "True", reason: "BackoffLimitExceeded" },
          {
            type: "Failed",
            status: "True",
            reason: "BackoffLimitExceeded",
            message: "Job has reached the specified backoff limit",
          },
        ],
      },
    }),
    show(`${jobs}/job`, "status.active", "status.succeeded", "status.completionTime"),
  ),
  one(
    "a Job runs as many Pods as it may",
    make(jobs, {
      metadata: { name: "job" },
      spec: { completions: 3, parallelism: 2, template: template({ restartPolicy: "Never" }) },
    }),
    counted(pods, 2),
    ended("{p0}", "Succeeded"),
    counted(pods, 3),
    until(`${jobs}/job`, { status: { active: 2, succeeded: 1 } }),
  ),
  one(
    "a suspended Job has no Pods until it goes on",
    make(jobs, { metadata: { name: "job" }, spec: { suspend: true, template: template({ restartPolicy: "Never" }) } }),
    until(`${jobs}/job`, {
      status: { conditions: [{ type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }] },
    }),
    show(pods, "items.0"),
    change(`${jobs}/job`, { spec: { suspend: false } }),
    counted(pods, 1),
    until(`${jobs}/job`, {
      status: {
        active: 1,
        conditions: [{ type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" }],
      },
    }),
  ),
  one(
    "a finished Job goes after its time",
    make(jobs, {
      metadata: { name: "job" },
      spec: { ttlSecondsAfterFinished: 0, template: template({ restartPolicy: "Never" }) },
    }),
    counted(pods, 1),
    ended("{p0}", "Succeeded"),
    { until: `${jobs}/job`, status: 404 },
    until(pods, { items: [] }),
  ),
  one(
    "a Service gets a slice with its Pods",
    make("/api/v1/nodes", { metadata: { name: "{ns}" } }),
    make(services, {
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [{ name: "web", port: 80, targetPort: "http" }] },
    }),
    until(slices, { items: [{ addressType: "IPv4", metadata: { labels: { "kubernetes.io/service-name": "web" } } }] }),
    show(
      slices,
      "items.0.endpoints",
      "items.0.ports",
      "items.0.metadata.ownerReferences.0.kind",
      "items.0.metadata.generateName",
    ),
    make(pods, {
      metadata: { name: "a", labels: { app: "web" } },
      spec: {
        nodeName: "{ns}",
        containers: [{ name: "c", image: "i", ports: [{ name: "http", containerPort: 8080 }] }],
      },
    }),
    ready("a", "10.1.0.9"),
    until(slices, {
      items: [
        {
          endpoints: [
            {
              addresses: ["10.1.0.9"],
              conditions: { ready: true, serving: true, terminating: false },
              targetRef: { kind: "Pod", name: "a" },
            },
          ],
          ports: [{ name: "web", port: 8080, protocol: "TCP" }],
        },
      ],
    }),
    change(`${pods}/a/status`, { status: { conditions: [{ type: "Ready", status: "False" }] } }),
    until(slices, {
      items: [{ endpoints: [{ addresses: ["10.1.0.9"], conditions: { ready: false, serving: false } }] }],
    }),
    show("/api/v1/namespaces/{ns}/endpoints/web", "subsets.0.notReadyAddresses.0.ip", "subsets.0.addresses"),
    { request: `DELETE ${pods}/a?gracePeriodSeconds=0`, only: ["kind"] },
    until("/api/v1/namespaces/{ns}/endpoints/web", { metadata: { name: "web" } }),
    { until: `${pods}/a`, status: 404 },
    { request: "DELETE /api/v1/nodes/{ns}", only: ["status"] },
  ),
];
