import type { ConformanceCase } from "../case.ts";

const pod = (more: object = {}, spec: object = {}): object => ({
  containers: [{ name: "c", image: "example.com/i:1", ...more }],
  ...spec,
});
const template = (podSpec: object = pod()): object => ({ metadata: { labels: { a: "b" } }, spec: podSpec });
const selector = { matchLabels: { a: "b" } };
const kind = (name: string, path: string, body: object): ConformanceCase => ({
  name: `fills in ${name}`,
  steps: [{ request: `POST ${path}?dryRun=All`, body: { metadata: { name: "x" }, ...body } }],
});
const core = (resource: string): string => `/api/v1/namespaces/{ns}/${resource}`;
const group = (groupVersion: string, resource: string): string => `/apis/${groupVersion}/namespaces/{ns}/${resource}`;
const cluster = (groupVersion: string, resource: string): string => `/apis/${groupVersion}/${resource}`;
const apps = (resource: string): string => group("apps/v1", resource);
const webhook = {
  name: "a.example.com",
  clientConfig: { url: "https://127.0.0.1:1/" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [{ apiGroups: ["x.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["x"] }],
};

/** What a server fills in and how it shows each kind. */
export const kinds: readonly ConformanceCase[] = [
  kind("a Pod", core("pods"), { spec: pod() }),
  kind("a Pod with latest image", core("pods"), { spec: pod({ image: "i" }) }),
  kind("a Pod with a digest", core("pods"), {
    spec: pod({ image: "i@sha256:0000000000000000000000000000000000000000000000000000000000000000" }),
  }),
  kind("a Pod with a registry port", core("pods"), { spec: pod({ image: "localhost:5000/i" }) }),
  kind("a Pod with probes", core("pods"), {
    spec: pod({
      livenessProbe: { httpGet: { port: 80 } },
      readinessProbe: { tcpSocket: { port: "web" } },
      startupProbe: { exec: { command: ["x"] } },
    }),
  }),
  kind("a Pod with a gRPC probe", core("pods"), { spec: pod({ livenessProbe: { grpc: { port: 80 } } }) }),
  kind("a Pod with ports", core("pods"), { spec: pod({ ports: [{ containerPort: 80 }] }) }),
  kind("a Pod on the host's network", core("pods"), {
    spec: pod({ ports: [{ containerPort: 80 }] }, { hostNetwork: true }),
  }),
  kind("a Pod with env", core("pods"), {
    spec: pod({
      env: [
        { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "B", value: "" },
        { name: "C", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      ],
    }),
  }),
  kind("a Pod with limits", core("pods"), { spec: pod({ resources: { limits: { cpu: "1", memory: "1Gi" } } }) }),
  kind("a Pod with requests", core("pods"), { spec: pod({ resources: { requests: { cpu: "100m" } } }) }),
  kind("a Pod with quantities to shorten", core("pods"), {
    spec: pod({ resources: { requests: { cpu: "1000m", memory: "1024Mi" } } }),
  }),
  kind("a Pod with quantities as numbers", core("pods"), {
    spec: pod({ resources: { requests: { cpu: 0.5, memory: 1000 } } }),
  }),
  kind("a Pod with volumes", core("pods"), {
    spec: pod(
      {},
      {
        volumes: [
          { name: "a", secret: { secretName: "s" } },
          { name: "b", configMap: { name: "c" } },
          { name: "c", emptyDir: {} },
          { name: "d", hostPath: { path: "/x" } },
          {
            name: "e",
            projected: {
              sources: [
                { serviceAccountToken: { path: "t" } },
                { downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
              ],
            },
          },
          { name: "f" },
        ],
      },
    ),
  }),
  kind("a Pod with lifecycle hooks", core("pods"), {
    spec: pod({ lifecycle: { preStop: { httpGet: { port: 80 } } } }),
  }),
  kind("a Pod with init containers", core("pods"), { spec: pod({}, { initContainers: [{ name: "i", image: "i" }] }) }),
  kind("a Pod with its own service account", core("pods"), {
    spec: pod({}, { serviceAccountName: "default", automountServiceAccountToken: false }),
  }),
  kind("a Pod with tolerations", core("pods"), {
    spec: pod({}, { tolerations: [{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" }] }),
  }),
  kind("a Pod with a security context", core("pods"), {
    spec: pod({ securityContext: { runAsUser: 1 } }, { securityContext: { fsGroup: 2 } }),
  }),
  kind("a Pod that is not restarted", core("pods"), { spec: pod({}, { restartPolicy: "Never" }) }),
  kind("a Deployment", apps("deployments"), { spec: { selector, template: template() } }),
  kind("a Deployment that recreates", apps("deployments"), {
    spec: { selector, template: template(), strategy: { type: "Recreate" } },
  }),
  kind("a Deployment with half a strategy", apps("deployments"), {
    spec: { selector, template: template(), strategy: { rollingUpdate: { maxSurge: 2 } } },
  }),
  kind("a ReplicaSet", apps("replicasets"), { spec: { selector, template: template() } }),
  kind("a StatefulSet", apps("statefulsets"), {
    spec: {
      selector,
      serviceName: "s",
      template: template(),
      volumeClaimTemplates: [
        {
          metadata: { name: "v" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  }),
  kind("a StatefulSet without service", apps("statefulsets"), { spec: { selector, template: template() } }),
  kind("a DaemonSet", apps("daemonsets"), { spec: { selector, template: template() } }),
  kind("a Job", group("batch/v1", "jobs"), { spec: { template: template(pod({}, { restartPolicy: "Never" })) } }),
  kind("a Job with parallelism", group("batch/v1", "jobs"), {
    spec: { parallelism: 3, template: template(pod({}, { restartPolicy: "OnFailure" })) },
  }),
  kind("a CronJob", group("batch/v1", "cronjobs"), {
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template: template(pod({}, { restartPolicy: "Never" })) } } },
  }),
  kind("a Service", core("services"), { spec: { selector: { a: "b" }, ports: [{ port: 80 }] } }),
  kind("a Service with names", core("services"), {
    spec: {
      ports: [
        { port: 80, name: "a", targetPort: "web" },
        { port: 81, name: "b", protocol: "UDP" },
      ],
    },
  }),
  kind("a headless Service", core("services"), { spec: { clusterIP: "None", ports: [{ port: 80 }] } }),
  kind("a NodePort Service", core("services"), { spec: { type: "NodePort", ports: [{ port: 80 }] } }),
  kind("a LoadBalancer Service", core("services"), { spec: { type: "LoadBalancer", ports: [{ port: 80 }] } }),
  kind("an ExternalName Service", core("services"), { spec: { type: "ExternalName", externalName: "a.example.com" } }),
  kind("a sticky Service", core("services"), { spec: { sessionAffinity: "ClientIP", ports: [{ port: 80 }] } }),
  kind("a Secret", core("secrets"), { data: { a: "Yg==" } }),
  kind("a Secret from texts", core("secrets"), { stringData: { a: "b" }, data: { c: "ZA==" } }),
  kind("a ServiceAccount", core("serviceaccounts"), {}),
  kind("a claim", core("persistentvolumeclaims"), {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
  kind("a volume", "/api/v1/persistentvolumes", {
    metadata: { name: "x-{ns}" },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/x" } },
  }),
  kind("Endpoints", core("endpoints"), { subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }] }),
  kind("a ResourceQuota", core("resourcequotas"), { spec: { hard: { pods: "10" } } }),
  kind("a LimitRange", core("limitranges"), { spec: { limits: [{ type: "Container", default: { cpu: "1" } }] } }),
  kind("a PodTemplate", core("podtemplates"), { template: template() }),
  kind("an Event", core("events"), {
    metadata: { name: "x", namespace: "{ns}" },
    involvedObject: { kind: "Pod", name: "p", namespace: "{ns}" },
    reason: "R",
    message: "m",
    type: "Normal",
  }),
  kind("an Event of the newer group", group("events.k8s.io/v1", "events"), {
    metadata: { name: "x" },
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "example.com/c",
    reportingInstance: "i",
    action: "A",
    reason: "R",
    note: "n",
    type: "Normal",
    regarding: { kind: "Pod", name: "p", namespace: "{ns}", apiVersion: "v1" },
  }),
  kind("a Lease", group("coordination.k8s.io/v1", "leases"), {
    spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" },
  }),
  kind("an Ingress", group("networking.k8s.io/v1", "ingresses"), {
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
  kind("a NetworkPolicy", group("networking.k8s.io/v1", "networkpolicies"), {
    spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }], from: [{ podSelector: {} }] }] },
  }),
  kind("a NetworkPolicy with egress", group("networking.k8s.io/v1", "networkpolicies"), {
    spec: { podSelector: {}, egress: [{}] },
  }),
  kind("a disruption budget", group("policy/v1", "poddisruptionbudgets"), { spec: { minAvailable: 1, selector } }),
  kind("an autoscaler", group("autoscaling/v2", "horizontalpodautoscalers"), {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } },
  }),
  kind("an autoscaler with metrics", group("autoscaling/v2", "horizontalpodautoscalers"), {
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      metrics: [
        { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
    },
  }),
  kind("an autoscaler of version 1", group("autoscaling/v1", "horizontalpodautoscalers"), {
    spec: {
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 70,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
    },
  }),
  kind("a Role", group("rbac.authorization.k8s.io/v1", "roles"), {
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  }),
  kind("a RoleBinding", group("rbac.authorization.k8s.io/v1", "rolebindings"), {
    roleRef: { kind: "ClusterRole", name: "view" },
    subjects: [
      { kind: "User", name: "u" },
      { kind: "ServiceAccount", name: "s", namespace: "{ns}" },
      { kind: "Group", name: "g" },
    ],
  }),
  kind("a ClusterRole", cluster("rbac.authorization.k8s.io/v1", "clusterroles"), {
    metadata: { name: "x-{ns}" },
    rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }],
  }),
  kind("a ClusterRoleBinding", cluster("rbac.authorization.k8s.io/v1", "clusterrolebindings"), {
    metadata: { name: "x-{ns}" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
  }),
  kind("a PriorityClass", cluster("scheduling.k8s.io/v1", "priorityclasses"), {
    metadata: { name: "x-{ns}" },
    value: 5,
  }),
  kind("a StorageClass", cluster("storage.k8s.io/v1", "storageclasses"), {
    metadata: { name: "x-{ns}" },
    provisioner: "example.com/p",
  }),
  kind("an IngressClass", cluster("networking.k8s.io/v1", "ingressclasses"), {
    metadata: { name: "x-{ns}" },
    spec: { controller: "example.com/c" },
  }),
  kind("a RuntimeClass", cluster("node.k8s.io/v1", "runtimeclasses"), { metadata: { name: "x-{ns}" }, handler: "h" }),
  kind("an EndpointSlice", group("discovery.k8s.io/v1", "endpointslices"), {
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.1"] }],
    ports: [{ port: 80 }],
  }),
  kind("a validating webhook", cluster("admissionregistration.k8s.io/v1", "validatingwebhookconfigurations"), {
    metadata: { name: "x-{ns}" },
    webhooks: [webhook],
  }),
  kind("a mutating webhook", cluster("admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations"), {
    metadata: { name: "x-{ns}" },
    webhooks: [webhook],
  }),
  kind("a webhook of a Service", cluster("admissionregistration.k8s.io/v1", "validatingwebhookconfigurations"), {
    metadata: { name: "x-{ns}" },
    webhooks: [{ ...webhook, clientConfig: { service: { name: "s", namespace: "{ns}" } } }],
  }),
  kind("a Namespace", "/api/v1/namespaces", { metadata: { name: "x-{ns}" } }),
  kind("a ConfigMap", core("configmaps"), { data: { a: "b" } }),
  kind("an APIService", cluster("apiregistration.k8s.io/v1", "apiservices"), {
    metadata: { name: "v1.x.example.com" },
    spec: {
      group: "x.example.com",
      version: "v1",
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { name: "s", namespace: "{ns}" },
      insecureSkipTLSVerify: true,
    },
  }),
];
