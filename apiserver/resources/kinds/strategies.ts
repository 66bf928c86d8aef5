import { definitionStrategy } from "../../crd/strategy.ts";
import { isDns1123Label, isDns1123Subdomain, isPathSegment, type NameCheck } from "../names.ts";
import { plainStrategy, type Strategy, specDiffers } from "../resource.ts";
import { admissionStrategies } from "./admission.ts";
import { configStrategies } from "./config.ts";
import { kindDefaults } from "./defaults.ts";
import { namespaceStrategy } from "./namespaces.ts";
import { podStrategy } from "./pods.ts";
import { policyStrategies } from "./policy-checks.ts";
import { rbacStrategies } from "./rbac.ts";
import { serviceStrategies } from "./services.ts";
import { storageStrategies } from "./storage.ts";
import { workloadStrategies } from "./workloads.ts";

/** Kinds whose name is no DNS subdomain. */
const nameChecks: Readonly<Record<string, NameCheck>> = {
  "/namespaces": isDns1123Label,
  "/services": isDns1123Label,
  "rbac.authorization.k8s.io/roles": isPathSegment,
  "rbac.authorization.k8s.io/rolebindings": isPathSegment,
  "rbac.authorization.k8s.io/clusterroles": isPathSegment,
  "rbac.authorization.k8s.io/clusterrolebindings": isPathSegment,
};

/** Kinds with `metadata.generation`. */
const withGeneration = new Set([
  "/pods",
  "/podtemplates",
  "/replicationcontrollers",
  "apps/deployments",
  "apps/replicasets",
  "apps/statefulsets",
  "apps/daemonsets",
  "batch/jobs",
  "batch/cronjobs",
  "networking.k8s.io/ingresses",
  "networking.k8s.io/ingressclasses",
  "networking.k8s.io/networkpolicies",
  "policy/poddisruptionbudgets",
  "discovery.k8s.io/endpointslices",
  "scheduling.k8s.io/priorityclasses",
  "apiextensions.k8s.io/customresourcedefinitions",
  "admissionregistration.k8s.io/validatingwebhookconfigurations",
  "admissionregistration.k8s.io/mutatingwebhookconfigurations",
  "admissionregistration.k8s.io/validatingadmissionpolicies",
  "admissionregistration.k8s.io/validatingadmissionpolicybindings",
  "admissionregistration.k8s.io/mutatingadmissionpolicies",
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings",
]);

/** Kinds whose DELETE answers with the object. */
const returnsDeleted = new Set([
  "/pods",
  "/services",
  "/serviceaccounts",
  "/persistentvolumes",
  "/persistentvolumeclaims",
  "/podtemplates",
  "/resourcequotas",
]);

/** Kinds that a PUT may create. */
const createsOnUpdate = new Set([
  "/endpoints",
  "/events",
  "/limitranges",
  "coordination.k8s.io/leases",
  "rbac.authorization.k8s.io/roles",
  "rbac.authorization.k8s.io/rolebindings",
  "rbac.authorization.k8s.io/clusterroles",
  "rbac.authorization.k8s.io/clusterrolebindings",
]);

const special: Readonly<Record<string, Partial<Strategy>>> = {
  "/namespaces": namespaceStrategy,
  "/pods": podStrategy,
  "apiextensions.k8s.io/customresourcedefinitions": definitionStrategy,
  ...serviceStrategies,
  ...configStrategies,
  ...rbacStrategies,
  ...workloadStrategies,
  ...admissionStrategies,
  ...storageStrategies,
  ...policyStrategies,
};

/** The rules of a built-in kind. */
export function strategyFor(collection: string, hasStatus: boolean): Strategy {
  const fill = kindDefaults[collection];
  return {
    ...plainStrategy,
    checkName: nameChecks[collection] ?? isDns1123Subdomain,
    hasStatus,
    ...(withGeneration.has(collection) ? { raisesGeneration: specDiffers } : {}),
    ...(returnsDeleted.has(collection) ? { returnsDeleted: true } : {}),
    ...(createsOnUpdate.has(collection) ? { createsOnUpdate: true } : {}),
    ...(fill === undefined ? {} : { fillDefaults: fill }),
    ...special[collection],
  };
}
