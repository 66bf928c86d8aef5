import type { ConformanceCase } from "../case.ts";
import { changed, refusals } from "./refusals.ts";

const path = "/api/v1/namespaces/{ns}/pods";
const base = { containers: [{ name: "c", image: "i" }] };

/** What Pods may not say besides their containers. */
export const podSpecs: readonly ConformanceCase[] = [
  ...refusals(
    "Pod",
    path,
    changed(base, {
      "hostname caps": { hostname: "A.b" },
      subdomain: { subdomain: "A.b" },
      restartPolicy: { restartPolicy: "Sometimes" },
      dnsPolicy: { dnsPolicy: "X" },
      "dnsPolicy None w/o config": { dnsPolicy: "None" },
      "dnsConfig bad ns": { dnsConfig: { nameservers: ["x"] } },
      "dnsConfig many ns": { dnsConfig: { nameservers: ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"] } },
      "dnsConfig search": { dnsConfig: { searches: ["A b"] } },
      "dnsConfig option": { dnsConfig: { options: [{ value: "x" }] } },
      "activeDeadline 0": { activeDeadlineSeconds: 0 },
      "activeDeadline -1": { activeDeadlineSeconds: -1 },
      "grace neg": { terminationGracePeriodSeconds: -1 },
      "nodeSelector bad": { nodeSelector: { "a b": "c d" } },
      "nodeName bad": { nodeName: "A b" },
      "sa name bad": { serviceAccountName: "A b" },
      "sa unknown": { serviceAccountName: "nope" },
      "priority unknown": { priorityClassName: "nope" },
      "priority number": { priority: 5 },
      "runtimeClass unknown": { runtimeClassName: "nope" },
      "toleration op": { tolerations: [{ key: "a", operator: "Foo" }] },
      "toleration exists value": { tolerations: [{ key: "a", operator: "Exists", value: "x" }] },
      "toleration nokey": { tolerations: [{ operator: "Equal", value: "x" }] },
      "toleration effect": { tolerations: [{ key: "a", effect: "X" }] },
      "toleration secs": { tolerations: [{ key: "a", effect: "NoSchedule", tolerationSeconds: 4 }] },
      hostAliases: { hostAliases: [{ ip: "x", hostnames: ["a"] }] },
      "hostNetwork port mismatch": {
        hostNetwork: true,
        containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, hostPort: 81 }] }],
      },
      "psc runAsUser": { securityContext: { runAsUser: -5, runAsGroup: -1, fsGroup: -1, supplementalGroups: [-1] } },
      "psc sysctl": { securityContext: { sysctls: [{ name: "A b", value: "1" }] } },
      "psc fsGroupChange": { securityContext: { fsGroupChangePolicy: "X" } },
      "affinity empty term": {
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      },
      "affinity bad op": {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "X" }] }],
            },
          },
        },
      },
      "affinity In no values": {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In" }] }],
            },
          },
        },
      },
      "affinity weight": {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: "a" } }],
          },
        },
      },
      "antiaffinity no key": {
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {} }] } },
      },
      "two volume types": { volumes: [{ name: "v", emptyDir: {}, configMap: { name: "x" } }] },
      "hostPath none": { volumes: [{ name: "v", hostPath: {} }] },
      "hostPath ..": { volumes: [{ name: "v", hostPath: { path: "/a/../b" } }] },
      "hostPath type": { volumes: [{ name: "v", hostPath: { path: "/a", type: "X" } }] },
      "vol mode": { volumes: [{ name: "v", configMap: { name: "x", defaultMode: 4096 } }] },
      "vol items": { volumes: [{ name: "v", configMap: { name: "x", items: [{ key: "", path: "../a" }] } }] },
      "vol items abs": { volumes: [{ name: "v", secret: { secretName: "x", items: [{ key: "a", path: "/a" }] } }] },
      "emptyDir size": { volumes: [{ name: "v", emptyDir: { sizeLimit: "-1" } }] },
      "projected sa short": {
        volumes: [
          { name: "v", projected: { sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 10 } }] } },
        ],
      },
      "ephemeral none": { volumes: [{ name: "v", ephemeral: {} }] },
      "csi none": { volumes: [{ name: "v", csi: {} }] },
      "vol none type": { volumes: [{ name: "v" }] },
      "vol name caps": { volumes: [{ name: "V", emptyDir: {} }] },
      "init container liveness": {
        initContainers: [{ name: "d", image: "i", livenessProbe: { tcpSocket: { port: 1 } } }],
      },
      "init container lifecycle": {
        initContainers: [{ name: "d", image: "i", lifecycle: { preStop: { exec: { command: ["a"] } } } }],
      },
      "init sidecar bad": { initContainers: [{ name: "d", image: "i", restartPolicy: "Never" }] },
      "ephemeral on create": { ephemeralContainers: [{ name: "e", image: "i" }] },
      os: { os: { name: "mac" } },
      schedulingGates: { schedulingGates: [{ name: "A b" }] },
      preemption: { preemptionPolicy: "X" },
      readinessGates: { readinessGates: [{ conditionType: "a b" }] },
    }),
  ),
  ...refusals("Pod", path, {
    "owner bad": {
      metadata: { name: "s", ownerReferences: [{ apiVersion: "a/b/c", kind: "X", name: "x", uid: "u" }] },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
    "owner apiVersion none": {
      metadata: { name: "s", ownerReferences: [{ kind: "X", name: "x", uid: "u" }] },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
    "owner beta": {
      metadata: { name: "s", ownerReferences: [{ apiVersion: "v1beta1", kind: "X", name: "x", uid: "u" }] },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
    "owner trailing": {
      metadata: { name: "s", ownerReferences: [{ apiVersion: "apps/", kind: "X", name: "x", uid: "u" }] },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
    creationTimestamp: {
      metadata: { name: "s", creationTimestamp: "yesterday" },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
    "creationTimestamp date": {
      metadata: { name: "s", creationTimestamp: "2020-01-01" },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
    "deletionTimestamp num": {
      metadata: { name: "s", deletionTimestamp: 5 },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
  }),
];
