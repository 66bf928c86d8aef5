import type { ConformanceCase } from "../case.ts";
import {
  change,
  counted,
  daemonSets,
  deployments,
  ended,
  make,
  one,
  pods,
  ready,
  replicaSets,
  show,
  statefulSets,
  template,
  until,
  workload,
} from "./workload-steps.ts";

/** Those whose status nobody has set yet. */
const pending = `${pods}?fieldSelector=status.phase%3DPending`;

/** Controllers of workloads in a cluster without nodes: the cases play the part of the kubelet. */
export const workloads: readonly ConformanceCase[] = [
  one(
    "a Deployment makes a ReplicaSet and Pods",
    make(deployments, workload({ replicas: 2 })),
    counted(pods, 2),
    show(
      replicaSets,
      "items.0.spec.replicas",
      "items.0.metadata.ownerReferences.0.kind",
      "items.0.metadata.ownerReferences.0.blockOwnerDeletion",
      "items.1",
    ),
    show(replicaSets, "items.0.metadata.annotations"),
    show(
      `${pods}/{p0}`,
      "metadata.labels.app",
      "metadata.ownerReferences.0.kind",
      "metadata.ownerReferences.0.controller",
      "status.phase",
    ),
    until(`${deployments}/web`, { status: { unavailableReplicas: 2, observedGeneration: 1 } }),
    show(
      `${deployments}/web`,
      "metadata.annotations",
      "status.replicas",
      "status.updatedReplicas",
      "status.readyReplicas",
    ),
  ),
  one(
    "a Deployment becomes available with its Pods",
    make(deployments, workload({ replicas: 2 })),
    counted(pods, 2),
    ready("{p0}"),
    until(`${deployments}/web`, {
      status: {
        readyReplicas: 1,
        conditions: [{ type: "Available", status: "False", reason: "MinimumReplicasUnavailable" }],
      },
    }),
    ready("{p1}"),
    until(`${deployments}/web`, {
      status: {
        availableReplicas: 2,
        conditions: [
          {
            type: "Available",
            status: "True",
            reason: "MinimumReplicasAvailable",
            message: "Deployment has minimum availability.",
          },
          { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
        ],
      },
    }),
    show(`${deployments}/web`, "status.replicas", "status.unavailableReplicas", "status.observedGeneration"),
  ),
  one(
    "a rollout keeps maxSurge and maxUnavailable",
    make(deployments, workload({ replicas: 3, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })),
    counted(pods, 3),
    ready("{p0}"),
    ready("{p1}"),
    ready("{p2}"),
    until(`${deployments}/web`, { status: { availableReplicas: 3 } }),
    change(`${deployments}/web`, { spec: { template: template({}, "example.com/i:2") } }),
    until(replicaSets, { items: [{ spec: { replicas: 3 } }, { spec: { replicas: 1 } }] }),
    until(`${deployments}/web`, {
      status: { replicas: 4, updatedReplicas: 1, availableReplicas: 3, unavailableReplicas: 1 },
    }),
    show(`${deployments}/web`, "metadata.annotations"),
  ),
  one(
    "a rollout by Recreate waits for the old Pods",
    make(deployments, workload({ replicas: 2, strategy: { type: "Recreate" } })),
    counted(pods, 2),
    change(`${deployments}/web`, { spec: { template: template({}, "example.com/i:2") } }),
    until(replicaSets, { items: [{ spec: { replicas: 0 } }, { spec: { replicas: 2 } }] }),
    until(`${deployments}/web`, { status: { replicas: 2, updatedReplicas: 2 } }),
  ),
  one(
    "a paused Deployment scales but does not roll out",
    make(deployments, workload({ replicas: 1 })),
    counted(pods, 1),
    change(`${deployments}/web`, { spec: { paused: true, replicas: 2, template: template({}, "example.com/i:2") } }),
    counted(pods, 2),
    until(`${deployments}/web`, {
      status: { conditions: [{ type: "Progressing", status: "Unknown", reason: "DeploymentPaused" }] },
    }),
    show(replicaSets, "items.0.spec.replicas", "items.1"),
  ),
  one(
    "old ReplicaSets beyond the limit go",
    make(deployments, workload({ replicas: 1, revisionHistoryLimit: 0 })),
    counted(pods, 1),
    ready("{p0}"),
    until(`${deployments}/web`, { status: { availableReplicas: 1 } }),
    change(`${deployments}/web`, { spec: { template: template({}, "example.com/i:2") } }),
    counted(pending, 1),
    ready("{p0}"),
    until(replicaSets, {
      items: [{ spec: { replicas: 1 }, metadata: { annotations: { "deployment.kubernetes.io/revision": "2" } } }],
    }),
    until(`${deployments}/web`, { status: { replicas: 1, updatedReplicas: 1, availableReplicas: 1 } }),
  ),
  one(
    "an old template gets its ReplicaSet back with a new revision",
    make(deployments, workload({ replicas: 0 })),
    counted(replicaSets, 1),
    change(`${deployments}/web`, { spec: { template: template({}, "example.com/i:2") } }),
    counted(replicaSets, 2),
    change(`${deployments}/web`, { spec: { template: template() } }),
    until(`${deployments}/web`, { metadata: { annotations: { "deployment.kubernetes.io/revision": "3" } } }),
    until(replicaSets, {
      items: [
        {
          metadata: {
            annotations: { "deployment.kubernetes.io/revision": "3", "deployment.kubernetes.io/revision-history": "1" },
          },
        },
      ],
    }),
    show(replicaSets, "items.2"),
  ),
  one(
    "a Deployment without replicas is complete",
    make(deployments, workload({ replicas: 0 })),
    until(`${deployments}/web`, {
      status: {
        observedGeneration: 1,
        conditions: [
          { type: "Available", status: "True" },
          { type: "Progressing", reason: "NewReplicaSetAvailable" },
        ],
      },
    }),
    show(`${deployments}/web`, "status.replicas"),
  ),
  one(
    "a deleted Pod is made again",
    make(deployments, workload({ replicas: 1 })),
    counted(pods, 1),
    { request: `DELETE ${pods}/{p0}`, only: ["kind"] },
    { until: `${pods}/{p0}`, status: 404 },
    counted(pods, 1),
  ),
  one(
    "a ReplicaSet adopts matching Pods",
    make(pods, {
      metadata: { name: "lone", labels: { app: "web" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    }),
    make(replicaSets, workload({ replicas: 2 })),
    counted(pods, 2),
    until(`${pods}/lone`, {
      metadata: { ownerReferences: [{ kind: "ReplicaSet", name: "web", controller: true, blockOwnerDeletion: true }] },
    }),
    until(`${replicaSets}/web`, { status: { replicas: 2, fullyLabeledReplicas: 2, observedGeneration: 1 } }),
  ),
  one(
    "a ReplicaSet releases Pods that match no more",
    make(replicaSets, workload({ replicas: 1 })),
    counted(pods, 1),
    change(`${pods}/{p0}`, { metadata: { labels: { app: "other" } } }),
    until(pods, { items: [{ metadata: { labels: { app: "web" } } }, { metadata: { labels: { app: "other" } } }] }),
    until(`${replicaSets}/web`, { status: { replicas: 1 } }),
    show(`${pods}/{p0}`, "metadata.ownerReferences"),
  ),
  one(
    "a failed Pod is replaced",
    make(replicaSets, workload({ replicas: 1 })),
    counted(pods, 1),
    ended("{p0}", "Failed"),
    until(pods, { items: [{ status: { phase: "Pending" } }] }),
    until(`${replicaSets}/web`, { status: { replicas: 1 } }),
  ),
  one(
    "a StatefulSet makes its Pods one after the other",
    make(statefulSets, workload({ replicas: 2, serviceName: "web" })),
    counted(pods, 1),
    show(
      `${pods}/web-0`,
      "metadata.labels.app",
      "metadata.labels.statefulset\\.kubernetes\\.io/pod-name",
      "metadata.labels.apps\\.kubernetes\\.io/pod-index",
      "spec.hostname",
      "spec.subdomain",
    ),
    ready("web-0"),
    counted(pods, 2),
    ready("web-1", "10.1.0.2"),
    until(`${statefulSets}/web`, {
      status: { readyReplicas: 2, currentReplicas: 2, replicas: 2, availableReplicas: 2 },
    }),
    change(`${statefulSets}/web`, { spec: { replicas: 1 } }),
    { until: `${pods}/web-1`, status: 404 },
    until(`${statefulSets}/web`, { status: { replicas: 1, readyReplicas: 1 } }),
    show(pods, "items.0.metadata.name", "items.1"),
  ),
  one(
    "a StatefulSet makes all Pods at once when asked to",
    make(statefulSets, workload({ replicas: 3, serviceName: "web", podManagementPolicy: "Parallel" })),
    counted(pods, 3),
    show(pods, "items.0.metadata.name", "items.1.metadata.name", "items.2.metadata.name"),
  ),
  one(
    "a StatefulSet makes claims and keeps them",
    make(
      statefulSets,
      workload({
        replicas: 1,
        serviceName: "web",
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      }),
    ),
    counted(pods, 1),
    show("/api/v1/namespaces/{ns}/persistentvolumeclaims/data-web-0", "metadata.labels", "spec.resources"),
    { request: `DELETE ${statefulSets}/web`, only: ["status"] },
    { until: `${pods}/web-0`, status: 404 },
    show("/api/v1/namespaces/{ns}/persistentvolumeclaims/data-web-0", "metadata.name"),
  ),
  one(
    "a DaemonSet has nothing to do without nodes",
    make(daemonSets, workload()),
    until(`${daemonSets}/web`, { status: { observedGeneration: 1, desiredNumberScheduled: 0 } }),
    show(`${daemonSets}/web`, "status"),
  ),
];
