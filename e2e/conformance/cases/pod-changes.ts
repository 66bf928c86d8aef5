import type { ConformanceCase, RequestStep } from "../case.ts";

const pods = "/api/v1/namespaces/{ns}/pods";
const strategic = "application/strategic-merge-patch+json";
const toleration = { key: "a", operator: "Exists", effect: "NoSchedule" };

/** A change of a running Pod; Kubernetes adds a print of its Go structs to the refusal, which is not compared. */
const change = (name: string, spec: object, only?: readonly string[]): ConformanceCase => ({
  name,
  steps: [
    {
      request: `POST ${pods}`,
      body: {
        metadata: { name: "p" },
        spec: { containers: [{ name: "c", image: "i" }], activeDeadlineSeconds: 100, tolerations: [toleration] },
      },
      only: ["kind"],
    },
    {
      request: `PATCH ${pods}/p`,
      type: strategic,
      body: { spec },
      only: only ?? ["kind", "reason", "code", "details.name", "details.kind"],
    },
  ],
});

const podSpec = (image: string, tolerated: object = toleration): object => ({
  automountServiceAccountToken: false,
  containers: [{ name: "c", image }],
  tolerations: [tolerated],
});

const appliedPod = (image: string, tolerated?: object): RequestStep => ({
  request: `PATCH ${pods}/p?fieldManager=a&force=true`,
  type: "application/apply-patch+yaml",
  body: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: podSpec(image, tolerated) },
  only: ["kind", "code", "spec.tolerations"],
});

/** What of a Pod may change, and what may not. */
export const podChanges: readonly ConformanceCase[] = [
  change("takes another image", { containers: [{ name: "c", image: "other" }] }),
  change("takes less time", { activeDeadlineSeconds: 50 }),
  change("refuses more time", { activeDeadlineSeconds: 150 }, ["code", "message", "details"]),
  change("refuses to lift a deadline", { activeDeadlineSeconds: null }, ["code", "message", "details"]),
  change("refuses to lose tolerations", { tolerations: [] }),
  change("refuses another grace period", { terminationGracePeriodSeconds: 5 }),
  change("refuses another command", { containers: [{ name: "c", image: "i", command: ["a"] }] }),
  change("refuses another restart policy", { restartPolicy: "Never" }),
  change("refuses another account", { serviceAccountName: "other" }),
  {
    name: "is applied twice with tolerations of its own",
    steps: [appliedPod("i"), appliedPod("other")],
  },
  {
    name: "bears nodes that are not ready for a while, unless it says for how long itself",
    steps: [
      appliedPod("i", { operator: "Exists" }),
      { request: `DELETE ${pods}/p?gracePeriodSeconds=0`, only: ["kind"] },
      appliedPod("i", { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoSchedule" }),
    ],
  },
  {
    name: "refuses keys without a name",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/services",
        body: { metadata: { name: "s" }, spec: { ports: [{ port: 80 }], selector: { "": "x" } } },
        only: ["code", "message"],
      },
      {
        request: "POST /apis/apps/v1/namespaces/{ns}/deployments",
        body: {
          metadata: { name: "d" },
          spec: {
            selector: { matchLabels: { a: "b" } },
            template: {
              metadata: { labels: { a: "b", "": "x" }, annotations: { "Example.com/a": "", "": "" } },
              spec: { containers: [{ name: "c", image: "i" }] },
            },
          },
        },
        only: ["code", "message"],
      },
    ],
  },
  {
    name: "is replaced without its priority",
    steps: [
      appliedPod("i"),
      {
        request: `PUT ${pods}/p`,
        body: { metadata: { name: "p" }, spec: { ...podSpec("other"), serviceAccountName: "default" } },
        only: ["kind", "message", "spec.priority", "spec.preemptionPolicy"],
      },
    ],
  },
  {
    name: "refuses a node port out of range",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/services",
        body: { metadata: { name: "s" }, spec: { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] } },
        only: ["code", "reason", "message"],
      },
    ],
  },
  {
    name: "takes away at once what no node runs, whatever its grace",
    steps: [
      {
        request: `POST ${pods}`,
        body: { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } },
        only: ["kind"],
      },
      { request: `DELETE ${pods}/p?gracePeriodSeconds=5`, only: ["kind"] },
      { request: `GET ${pods}/p`, only: ["code", "message"] },
    ],
  },
];
