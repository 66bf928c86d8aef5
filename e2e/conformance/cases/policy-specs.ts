import type { ConformanceCase } from "../case.ts";
import { changed, refusals, specs } from "./refusals.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}";
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const scaler = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" }, maxReplicas: 3 };

/** What kinds that hold rules and data for others may not say. */
export const policySpecs: readonly ConformanceCase[] = [
  ...refusals(
    "PodDisruptionBudget",
    "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    specs({
      both: { selector: {}, minAvailable: 1, maxUnavailable: 1 },
      neg: { selector: {}, minAvailable: -1 },
      pct: { selector: {}, minAvailable: "x" },
      "pct 200": { selector: {}, maxUnavailable: "200%" },
      unhealthy: { selector: {}, unhealthyPodEvictionPolicy: "X" },
      selector: { selector: { matchExpressions: [{ key: "a", operator: "X" }] } },
    }),
  ),
  ...refusals(
    "HorizontalPodAutoscaler",
    "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
    changed(scaler, {
      "max 0": { maxReplicas: 0 },
      "min 0": { minReplicas: 0 },
      "min>max": { minReplicas: 5 },
      "target none": { scaleTargetRef: {} },
      "metric type": { metrics: [{ type: "X" }] },
      "metric none": { metrics: [{}] },
      "metric resource none": { metrics: [{ type: "Resource" }] },
      "metric target": { metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization" } } }] },
      "metric util 0": {
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 0 } } },
        ],
      },
      behavior: { behavior: { scaleDown: { stabilizationWindowSeconds: -1 } } },
      "behavior policy": { behavior: { scaleDown: { policies: [{ type: "X", value: 0, periodSeconds: 0 }] } } },
    }),
  ),
  ...refusals(
    "ResourceQuota",
    "/api/v1/namespaces/{ns}/resourcequotas",
    specs({
      unknown: { hard: { foo: "1" } },
      neg: { hard: { cpu: "-1" } },
      "pods fraction": { hard: { pods: "1500m" } },
      "bad q": { hard: { cpu: "x" } },
      count: { hard: { "count/deployments.apps": "1" } },
      scope: { hard: { cpu: "1" }, scopes: ["X"] },
      "scope besteffort cpu": { hard: { cpu: "1" }, scopes: ["BestEffort"] },
      "scope both": { hard: { pods: "1" }, scopes: ["BestEffort", "NotBestEffort"] },
      scopeSelector: {
        hard: { pods: "1" },
        scopeSelector: { matchExpressions: [{ scopeName: "X", operator: "In", values: ["a"] }] },
      },
      sc: { hard: { "gold.storageclass.storage.k8s.io/requests.storage": "1Gi", "a b": "1" } },
    }),
  ),
  ...refusals(
    "PersistentVolumeClaim",
    "/api/v1/namespaces/{ns}/persistentvolumeclaims",
    changed(claim, {
      "no modes": { accessModes: [] },
      mode: { accessModes: ["X"] },
      "rwop mix": { accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] },
      "no req": { resources: {} },
      zero: { resources: { requests: { storage: "0" } } },
      neg: { resources: { requests: { storage: "-1" } } },
      class: { storageClassName: "A b" },
      volumeMode: { volumeMode: "X" },
      dataSource: { dataSource: { kind: "X", name: "" } },
    }),
  ),
  ...refusals("StorageClass", "/apis/storage.k8s.io/v1/storageclasses", {
    "no provisioner": {},
    provisioner: { provisioner: "A b" },
    reclaim: { provisioner: "a/b", reclaimPolicy: "X" },
    mode: { provisioner: "a/b", volumeBindingMode: "X" },
    param: { provisioner: "a/b", parameters: { "": "x" } },
  }),
  ...refusals("PriorityClass", "/apis/scheduling.k8s.io/v1/priorityclasses", {
    "too high": { value: 2000000000 },
    system: { value: 1, metadata: { name: "system-x" } },
    preemption: { value: 1, preemptionPolicy: "X" },
  }),
  ...refusals("Secret", "/api/v1/namespaces/{ns}/secrets", {
    "basic none": { type: "kubernetes.io/basic-auth" },
    "sat none": { type: "kubernetes.io/service-account-token" },
    "sat unknown": {
      type: "kubernetes.io/service-account-token",
      metadata: { name: "s", annotations: { "kubernetes.io/service-account.name": "nope" } },
    },
    "sat known": {
      type: "kubernetes.io/service-account-token",
      metadata: { name: "s", annotations: { "kubernetes.io/service-account.name": "default" } },
    },
    ssh: { type: "kubernetes.io/ssh-auth" },
    "tls one": { type: "kubernetes.io/tls", data: { "tls.crt": "" } },
    "bad base64": { data: { a: "!!" } },
    bootstrap: { type: "bootstrap.kubernetes.io/token" },
  }),
  ...refusals("Event", "/api/v1/namespaces/{ns}/events", {
    "ns mismatch": { involvedObject: { kind: "Pod", name: "x", namespace: "other" } },
    none: { involvedObject: {} },
  }),
  ...refusals("RoleBinding", `${rbac}/rolebindings`, {
    "no roleRef": {},
    kind: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "X", name: "x" } },
    group: { roleRef: { apiGroup: "x", kind: "Role", name: "x" } },
    "subject kind": {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" },
      subjects: [{ kind: "X", name: "x" }],
    },
    "subject sa no ns": {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" },
      subjects: [{ kind: "ServiceAccount", name: "x" }],
    },
    "subject sa name": {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" },
      subjects: [{ kind: "ServiceAccount", name: "A b", namespace: "x" }],
    },
    "subject user group": {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" },
      subjects: [{ kind: "User", name: "x", apiGroup: "y" }],
    },
    "subject no name": {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io" }],
    },
  }),
  ...refusals("Role", `${rbac}/roles`, {
    "no verbs": { rules: [{ apiGroups: [""], resources: ["pods"] }] },
    "no groups": { rules: [{ verbs: ["get"], resources: ["pods"] }] },
    "no resources": { rules: [{ verbs: ["get"], apiGroups: [""] }] },
    urls: { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] },
  }),
  ...refusals(
    "ValidatingWebhookConfiguration",
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    {
      "name short": {
        webhooks: [
          { name: "a", admissionReviewVersions: ["v1"], sideEffects: "None", clientConfig: { url: "https://a/b" } },
        ],
      },
      "no versions": {
        webhooks: [
          { name: "a.b.c", admissionReviewVersions: [], sideEffects: "None", clientConfig: { url: "https://a/b" } },
        ],
      },
      "versions unknown": {
        webhooks: [
          { name: "a.b.c", admissionReviewVersions: ["v9"], sideEffects: "None", clientConfig: { url: "https://a/b" } },
        ],
      },
      "no sideEffects": {
        webhooks: [
          { name: "a.b.c", admissionReviewVersions: ["v1"], sideEffects: null, clientConfig: { url: "https://a/b" } },
        ],
      },
      "sideEffects Some": {
        webhooks: [
          { name: "a.b.c", admissionReviewVersions: ["v1"], sideEffects: "Some", clientConfig: { url: "https://a/b" } },
        ],
      },
      "url http": {
        webhooks: [
          { name: "a.b.c", admissionReviewVersions: ["v1"], sideEffects: "None", clientConfig: { url: "http://a/b" } },
        ],
      },
      "no client": {
        webhooks: [{ name: "a.b.c", admissionReviewVersions: ["v1"], sideEffects: "None", clientConfig: {} }],
      },
      "both client": {
        webhooks: [
          {
            name: "a.b.c",
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            clientConfig: { url: "https://a", service: { name: "x", namespace: "y" } },
          },
        ],
      },
      "svc no name": {
        webhooks: [
          { name: "a.b.c", admissionReviewVersions: ["v1"], sideEffects: "None", clientConfig: { service: {} } },
        ],
      },
      timeout: {
        webhooks: [
          {
            name: "a.b.c",
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            clientConfig: { url: "https://a/b" },
            timeoutSeconds: 60,
          },
        ],
      },
      "rules empty": {
        webhooks: [
          {
            name: "a.b.c",
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            clientConfig: { url: "https://a/b" },
            rules: [{}],
          },
        ],
      },
      failurePolicy: {
        webhooks: [
          {
            name: "a.b.c",
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            clientConfig: { url: "https://a/b" },
            failurePolicy: "X",
          },
        ],
      },
    },
  ),
];
