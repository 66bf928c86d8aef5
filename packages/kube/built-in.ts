import type { Resource } from "./types.ts";

const core = { group: "", version: "v1", namespaced: true } as const;

/** REST collections of Kubernetes' own kinds that operators often need, at the versions every current cluster serves. */
export const builtIn = {
  secrets: { ...core, kind: "Secret", plural: "secrets" },
  configMaps: { ...core, kind: "ConfigMap", plural: "configmaps" },
  serviceAccounts: { ...core, kind: "ServiceAccount", plural: "serviceaccounts" },
  services: { ...core, kind: "Service", plural: "services" },
  pods: { ...core, kind: "Pod", plural: "pods" },
  /** Events of core/v1, the form in which they are listed. */
  coreEvents: { ...core, kind: "Event", plural: "events" },
  /** Events of events.k8s.io, the form in which they are written. */
  events: { group: "events.k8s.io", version: "v1", kind: "Event", plural: "events", namespaced: true },
  namespaces: { ...core, kind: "Namespace", plural: "namespaces", namespaced: false },
  nodes: { ...core, kind: "Node", plural: "nodes", namespaced: false },
  deployments: { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", namespaced: true },
  leases: { group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases", namespaced: true },
  clusterRoles: {
    group: "rbac.authorization.k8s.io",
    version: "v1",
    kind: "ClusterRole",
    plural: "clusterroles",
    namespaced: false,
  },
  clusterRoleBindings: {
    group: "rbac.authorization.k8s.io",
    version: "v1",
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
    namespaced: false,
  },
  customResourceDefinitions: {
    group: "apiextensions.k8s.io",
    version: "v1",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    namespaced: false,
  },
} as const satisfies Readonly<Record<string, Resource>>;
