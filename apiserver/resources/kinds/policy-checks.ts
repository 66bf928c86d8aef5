import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import type { Strategy } from "../resource.ts";
import {
  all,
  atLeast,
  type Check,
  countOrShare,
  fields,
  forbidden,
  items,
  needs,
  oneOf,
  problemsOf,
  qualified,
  selector,
  subdomain,
  unless,
} from "./checks.ts";
import { asText, type Fields, isFields, listAt } from "./edit.ts";
import { networkPolicy } from "./network-checks.ts";
import { amounts } from "./quantities.ts";

const budget: Check = all(
  (value, path, problems) => {
    const { minAvailable, maxUnavailable, selector: chosen, unhealthyPodEvictionPolicy } = value as Fields;
    if (minAvailable === undefined || maxUnavailable === undefined) return;
    const shown = {
      MinAvailable: minAvailable,
      Selector: chosen ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
    };
    const detail = "minAvailable and maxUnavailable cannot be both set";
    problems.push(fieldProblem("FieldValueInvalid", path, detail, shown));
  },
  fields({ minAvailable: countOrShare, maxUnavailable: countOrShare, selector }),
);

const metricTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"];
const sources: Readonly<Record<string, string>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};
const above: Check = unless((value) => typeof value !== "number" || value > 0, "must be greater than 0");

const target: Check = (value, path, problems) => {
  const { averageUtilization, averageValue } = isFields(value) ? value : {};
  const at = `${path}.averageUtilization`;
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = "must set either a target raw value or a target utilization";
    problems.push(fieldProblem("FieldValueRequired", at, detail));
  } else above(averageUtilization, at, problems);
};

/** One metric with what its type needs. */
const metric: Check = (value, path, problems) => {
  const { type = "", ...given } = value as Fields;
  if (type === "") {
    problems.push(fieldProblem("FieldValueRequired", `${path}.type`, "must specify a metric source type"));
  }
  oneOf(...metricTypes)(type, `${path}.type`, problems);
  const source = sources[asText(type)];
  if (source !== undefined && given[source] === undefined) {
    const detail = "must populate information for the given metric source";
    problems.push(fieldProblem("FieldValueRequired", `${path}.${source}`, detail));
  }
  fields({ resource: all(needs(["name"]), fields({ target })) })(value, path, problems);
};

const zero = (detail: string): Check => unless((value) => typeof value !== "number" || value > 0, detail);
const scaling = fields({
  stabilizationWindowSeconds: unless(
    (value) => typeof value !== "number" || value >= 0,
    "must be greater than or equal to zero",
  ),
  policies: items(
    fields({
      type: oneOf("Percent", "Pods"),
      value: zero("must be greater than zero"),
      periodSeconds: zero("must be greater than zero"),
    }),
  ),
});

const replicas: Check = (value, path, problems) => {
  const { minReplicas = 1, maxReplicas = 0 } = value as Readonly<Record<string, number>>;
  const at = `${path}.maxReplicas`;
  if (minReplicas < 1) atLeast(1)(minReplicas, `${path}.minReplicas`, problems);
  if (maxReplicas < 1) problems.push(fieldProblem("FieldValueRequired", at, "must be set and greater than 0"));
  if (maxReplicas >= minReplicas) return;
  const detail = "must be greater than or equal to `minReplicas`";
  problems.push(fieldProblem("FieldValueInvalid", at, detail, maxReplicas));
};

/** What is scaled has a group: nothing in the core group is. */
const scaleTarget: Check = all(needs(["kind", "name"]), (value, path, problems) => {
  const { apiVersion = "", kind } = value as Fields;
  if (asText(apiVersion).includes("/") || kind === "ReplicationController") return;
  const detail = "apiVersion must specify API group";
  problems.push(fieldProblem("FieldValueInvalid", `${path}.apiVersion`, detail, apiVersion));
});

const withoutObjects: Check = forbidden(
  ({ minReplicas, metrics }) =>
    minReplicas === 0 && !listAt(metrics).some(({ type }) => type === "Object" || type === "External"),
  "metrics",
  "must specify at least one Object or External metric to support scaling to zero replicas",
);

const autoscaler: Check = all(
  replicas,
  fields({ scaleTargetRef: scaleTarget, metrics: items(metric) }),
  withoutObjects,
  fields({ behavior: fields({ scaleUp: scaling, scaleDown: scaling }) }),
);

const scopes = new Set([
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "PriorityClass",
  "CrossNamespacePodAffinity",
  "VolumeAttributesClass",
]);
const pairs = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

function scopeProblems({ scopes: given, hard }: Fields, path: string): readonly FieldProblem[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  const refuse = (detail: string): FieldProblem => fieldProblem("FieldValueInvalid", `${path}.scopes`, detail, list);
  const isNarrow =
    list.includes("BestEffort") && Object.keys(isFields(hard) ? hard : {}).some((name) => name !== "pods");
  return [
    ...(list.some((scope) => !scopes.has(asText(scope))) ? [refuse("unsupported scope")] : []),
    ...(isNarrow ? [refuse("unsupported scope applied to resource")] : []),
    ...pairs.filter((pair) => pair.every((scope) => list.includes(scope))).map(() => refuse("conflicting scopes")),
  ];
}

const scopeSelector: Check = (value, path, problems) => {
  for (const { scopeName } of listAt(value, "matchExpressions")) {
    if (scopes.has(asText(scopeName))) continue;
    const field = `${path}.matchExpressions.scopeName`;
    problems.push(fieldProblem("FieldValueInvalid", field, "unsupported scope", scopeName ?? ""));
  }
};

const quota: Check = all(fields({ hard: amounts("quota"), scopeSelector }), (value, path, problems) => {
  problems.push(...scopeProblems(value as Fields, path));
});

const modes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const storage: Check = (value, path, problems) => {
  const { storage: wanted } = isFields(value) ? value : {};
  if (wanted === undefined || !/^-|^0+$/.test(asText(wanted))) return;
  problems.push(fieldProblem("FieldValueInvalid", `${path}[storage]`, "must be greater than zero", wanted));
};

/** The spec of a claim, also inside a StatefulSet. */
export const claim: Check = all(
  needs(["accessModes"], "at least 1 access mode is required"),
  fields({
    accessModes: (value, path, problems) => {
      const list: readonly unknown[] = Array.isArray(value) ? value : [];
      for (const mode of list) oneOf(...modes)(mode, path, problems);
      if (!list.includes("ReadWriteOncePod") || list.length === 1) return;
      problems.push(fieldProblem("FieldValueForbidden", path, "may not use ReadWriteOncePod with other access modes"));
    },
    resources: (value, path, problems) => storage((value as Fields).requests, path, problems),
    storageClassName: subdomain,
  }),
);

const ofSpec = (check: Check): Partial<Strategy> => ({ validate: ({ spec }) => problemsOf(check, spec ?? {}, "spec") });

const storageClass = all(
  needs(["provisioner"]),
  fields({
    provisioner: (value, path, problems) => qualified(asText(value).toLowerCase(), path, problems),
    reclaimPolicy: oneOf("Delete", "Retain"),
    parameters: (value, path, problems) => {
      if (!Object.hasOwn(value as Fields, "")) return;
      problems.push(fieldProblem("FieldValueInvalid", path, "field can not be empty.", ""));
    },
  }),
);

const highest = 1_000_000_000;
const builtinClasses = new Set(["system-node-critical", "system-cluster-critical"]);
const priorityClass: Check = (value, _path, problems) => {
  const { metadata, value: priority } = value as Fields;
  const name = asText((metadata as Fields).name);
  if (name.startsWith("system-")) {
    if (builtinClasses.has(name)) return;
    const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
    problems.push(fieldProblem("FieldValueForbidden", "metadata.name", detail));
  } else if (typeof priority === "number" && priority > highest) {
    const detail = `maximum allowed value of a user defined priority is ${highest}`;
    problems.push(fieldProblem("FieldValueForbidden", "value", detail));
  }
};

/** An event of the core group lies beside what it tells of; what has no namespace is told of in `default`. */
const toldOf: Check = (value, path, problems) => {
  const { apiVersion, involvedObject, metadata } = value as Fields;
  const { namespace = "" } = isFields(involvedObject) ? involvedObject : {};
  if (apiVersion !== "v1" || (namespace === "" ? "default" : namespace) === (metadata as Fields).namespace) return;
  const detail = "does not match event.namespace";
  problems.push(fieldProblem("FieldValueInvalid", `${path}involvedObject.namespace`, detail, namespace));
};

/** Kinds that set rules for others. */
export const policyStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  "networking.k8s.io/networkpolicies": ofSpec(networkPolicy),
  "policy/poddisruptionbudgets": ofSpec(budget),
  "autoscaling/horizontalpodautoscalers": ofSpec(autoscaler),
  "/events": { validate: (object) => problemsOf(toldOf, object, "") },
  "/resourcequotas": ofSpec(quota),
  "storage.k8s.io/storageclasses": { validate: (object) => problemsOf(storageClass, object, "") },
  "scheduling.k8s.io/priorityclasses": {
    validate: (object) =>
      problemsOf(all(priorityClass, fields({ preemptionPolicy: oneOf("PreemptLowerPriority", "Never") })), object, ""),
  },
};
