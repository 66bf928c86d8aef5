import type { ConformanceCase } from "../case.ts";

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
const get = (name: string, path: string, only?: readonly string[], accept?: string): ConformanceCase => ({
  name,
  steps: [
    {
      request: `GET ${path}`,
      ...(only === undefined ? {} : { only }),
      ...(accept === undefined ? {} : { headers: { accept } }),
    },
  ],
});
const listed = (
  name: string,
  path: string,
  body: object,
  rows = [
    "columnDefinitions.0.name",
    "columnDefinitions.1.name",
    "columnDefinitions.2.name",
    "columnDefinitions.3.name",
    "columnDefinitions.4.name",
    "columnDefinitions.5.name",
    "columnDefinitions.6.name",
    "columnDefinitions.7.name",
    "rows.0.cells",
  ],
): ConformanceCase => ({
  name: `table of ${name}`,
  steps: [
    { request: `POST ${path}`, body: { metadata: { name: "t" }, ...body }, only: ["metadata.name", "message"] },
    { request: `GET ${path}/t?includeObject=None`, headers: { accept: table }, only: rows },
  ],
});
const core = (resource: string): string => `/api/v1/namespaces/{ns}/${resource}`;
const pod = { containers: [{ name: "c", image: "i:1" }], nodeSelector: { no: "where" } };

/** What a server says about itself, and its tables. */
export const discovery: readonly ConformanceCase[] = [
  get("says its versions", "/api", ["kind", "versions"]),
  get("lists the core resources", "/api/v1", ["kind", "groupVersion"]),
  ...[
    "apps/v1",
    "batch/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "networking.k8s.io/v1",
    "policy/v1",
    "rbac.authorization.k8s.io/v1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "events.k8s.io/v1",
    "storage.k8s.io/v1",
    "scheduling.k8s.io/v1",
    "apiextensions.k8s.io/v1",
    "apiregistration.k8s.io/v1",
    "authentication.k8s.io/v1",
    "authorization.k8s.io/v1",
  ].map((group) => get(`lists the resources of ${group}`, `/apis/${group}`)),
  get("lists all core resources", "/api/v1", ["resources"]),
  get("describes a group", "/apis/apps"),
  get("describes a group of two versions", "/apis/autoscaling"),
  get("lists groups", "/apis", ["kind", "apiVersion"]),
  get(
    "aggregates the core",
    "/api",
    ["kind", "apiVersion", "items.0.metadata", "items.0.versions.0.version", "items.0.versions.0.freshness"],
    aggregated,
  ),
  get("aggregates the groups", "/apis", ["kind", "apiVersion"], aggregated),
  get("knows no unknown group", "/apis/none.example.com"),
  get("knows no unknown version", "/apis/apps/v0"),
  get("is healthy", "/healthz"),
  get("is live", "/livez"),
  get("is ready", "/readyz"),
  get("says its version", "/version", ["major"]),
  get("lists OpenAPI documents", "/openapi/v3", ["kind"]),
  listed("Pods", core("pods"), { spec: pod }),
  listed("ConfigMaps", core("configmaps"), { data: { a: "b" } }),
  listed("Secrets", core("secrets"), { data: { a: "Yg==" } }),
  listed("Services", core("services"), {
    spec: { selector: { a: "b" }, ports: [{ port: 80 }, { port: 443, name: "x" }].slice(0, 1) },
  }),
  listed("ExternalName Services", core("services"), { spec: { type: "ExternalName", externalName: "a.example.com" } }),
  listed("ServiceAccounts", core("serviceaccounts"), {}),
  listed("ResourceQuotas", core("resourcequotas"), { spec: { hard: { pods: "10" } } }),
  listed("Ingresses", "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses", {
    spec: {
      rules: [
        {
          host: "a.example.com",
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }],
          },
        },
      ],
    },
  }),
  listed("NetworkPolicies", "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies", {
    spec: { podSelector: { matchLabels: { a: "b" } } },
  }),
  listed("Leases", "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases", { spec: { holderIdentity: "me" } }),
  listed("Roles", "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", { rules: [] }),
  listed("RoleBindings", "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings", {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [
      { kind: "User", name: "u" },
      { kind: "ServiceAccount", name: "s", namespace: "x" },
    ],
  }),
  listed("disruption budgets", "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets", {
    spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } },
  }),
  listed("HorizontalPodAutoscalers", "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers", {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" },
      maxReplicas: 3,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
      ],
    },
  }),
  listed("CronJobs", "/apis/batch/v1/namespaces/{ns}/cronjobs", {
    spec: {
      suspend: true,
      schedule: "0 0 * * *",
      jobTemplate: {
        spec: { template: { spec: { containers: [{ name: "c", image: "i:1" }], restartPolicy: "Never" } } },
      },
    },
  }),
  listed("EndpointSlices", "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.1"] }],
    ports: [{ port: 80 }],
  }),
  {
    name: "table with metadata",
    steps: [
      { request: `POST ${core("configmaps")}`, body: { metadata: { name: "t" } }, only: ["metadata.name"] },
      {
        request: `GET ${core("configmaps")}/t`,
        headers: { accept: table },
        only: ["kind", "apiVersion", "metadata", "rows"],
      },
    ],
  },
  {
    name: "table with objects",
    steps: [
      { request: `POST ${core("configmaps")}`, body: { metadata: { name: "t" } }, only: ["metadata.name"] },
      { request: `GET ${core("configmaps")}/t?includeObject=Object`, headers: { accept: table }, only: ["rows"] },
    ],
  },
  {
    name: "table of a scale",
    steps: [
      {
        request: "POST /apis/apps/v1/namespaces/{ns}/deployments",
        body: {
          metadata: { name: "t" },
          spec: {
            replicas: 0,
            selector: { matchLabels: { a: "b" } },
            template: { metadata: { labels: { a: "b" } }, spec: pod },
          },
        },
        only: ["metadata.name"],
      },
      {
        request: "GET /apis/apps/v1/namespaces/{ns}/deployments/t/scale?includeObject=None",
        headers: { accept: table },
        only: ["rows.0.cells"],
      },
    ],
  },
  {
    name: "table of a Node",
    steps: [
      { request: "POST /api/v1/nodes", body: { metadata: { name: "{ns}" } }, only: ["metadata.name"] },
      { request: "GET /api/v1/nodes/{ns}?includeObject=None", headers: { accept: table }, only: ["rows.0.cells"] },
      { request: "DELETE /api/v1/nodes/{ns}", only: ["kind"] },
    ],
  },
  {
    name: "table of nothing",
    steps: [{ request: `GET ${core("secrets")}`, headers: { accept: table }, only: ["rows", "kind"] }],
  },
];
