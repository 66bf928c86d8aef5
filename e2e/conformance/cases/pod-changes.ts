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

const podSpec = (image: string): object => ({
  automountServiceAccountToken: false,
  containers: [{ name: "c", image }],
  tolerations: [toleration],
});

const appliedPod = (image: string): RequestStep => ({
  request: `PATCH ${pods}/p?fieldManager=a&force=true`,
  type: "application/apply-patch+yaml",
  body: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: podSpec(image) },
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
