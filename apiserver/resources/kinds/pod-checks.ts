import { fieldProblem } from "../../api-error.ts";
import { isQualifiedName } from "../names.ts";
import { address } from "./addresses.ts";
import {
  all,
  type Check,
  fields,
  forbidden,
  id,
  items,
  label,
  labels,
  named,
  needs,
  oneOf,
  qualified,
  selector,
  subdomain,
  unless,
} from "./checks.ts";
import { deadline, seccomp } from "./container-checks.ts";
import { asText, type Fields, isFields, listAt } from "./edit.ts";

type Refuse = (reason: Parameters<typeof fieldProblem>[0], field: string, detail: string, ...value: [unknown?]) => void;

/** A check of an object that refuses its fields. */
const judge =
  (rules: (value: Fields, refuse: Refuse) => void): Check =>
  (value, path, problems) => {
    if (!isFields(value)) return;
    rules(value, (reason, field, detail, ...shown) => {
      problems.push(fieldProblem(reason, `${path}.${field}`, detail, ...shown));
    });
  };

const positive: Check = unless((value) => typeof value !== "number" || value > 0, "must be greater than zero");
const weight: Check = unless(
  (value) => typeof value !== "number" || (value >= 1 && value <= 100),
  "must be in the range 1-100",
);

/** What a Pod bears with. */
const toleration: Check = all(
  judge(({ key = "", operator, tolerationSeconds, effect = "" }, refuse) => {
    if (key === "" && operator !== "Exists") {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      refuse("FieldValueInvalid", "operator", detail, operator ?? "");
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      refuse("FieldValueInvalid", "effect", "effect must be 'NoExecute' when `tolerationSeconds` is set", effect);
    }
  }),
  judge(({ operator, value = "" }, refuse) => {
    if (operator !== "Exists" || value === "") return;
    refuse("FieldValueInvalid", "operator", "value must be empty when `operator` is 'Exists'", value);
  }),
  fields({
    key: qualified,
    operator: (value, path, problems) => {
      if (value !== "") oneOf("Equal", "Exists")(value, path, problems);
    },
    effect: (value, path, problems) => {
      if (value !== "") oneOf("NoSchedule", "PreferNoSchedule", "NoExecute")(value, path, problems);
    },
  }),
);

/** How many values an operator takes, and what is said of another number. */
interface Values {
  readonly isRight: (count: number) => boolean;
  readonly reason: "FieldValueRequired" | "FieldValueForbidden";
  readonly detail: string;
}

const some: Values = {
  isRight: (count) => count > 0,
  reason: "FieldValueRequired",
  detail: "must be specified when `operator` is 'In' or 'NotIn'",
};
const none: Values = {
  isRight: (count) => count === 0,
  reason: "FieldValueForbidden",
  detail: "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
};
const single: Values = {
  isRight: (count) => count === 1,
  reason: "FieldValueRequired",
  detail: "must be specified single value when `operator` is 'Lt' or 'Gt'",
};
const operators = new Map([
  ["In", some],
  ["NotIn", some],
  ["Exists", none],
  ["DoesNotExist", none],
  ["Gt", single],
  ["Lt", single],
]);

const nodeExpression: Check = judge(({ operator, values }, refuse) => {
  const wanted = operators.get(asText(operator));
  if (wanted === undefined) {
    refuse("FieldValueInvalid", "operator", "not a valid selector operator", operator ?? "");
  } else if (!wanted.isRight(Array.isArray(values) ? values.length : 0)) {
    refuse(wanted.reason, "values", wanted.detail);
  }
});

const nodeTerm = fields({ matchExpressions: items(all(nodeExpression, fields({ key: qualified }))) });

const topologyKey: Check = judge(({ topologyKey: key = "" }, refuse) => {
  if (key === "") refuse("FieldValueRequired", "topologyKey", "can not be empty");
});

/** Other Pods, by label and kind of place. */
const podTerm: Check = all(
  topologyKey,
  judge(({ topologyKey: key }, refuse) => {
    for (const text of isQualifiedName(asText(key))) refuse("FieldValueInvalid", "topologyKey", text, key ?? "");
  }),
  fields({ labelSelector: selector }),
);

const podAffinity = fields({
  requiredDuringSchedulingIgnoredDuringExecution: items(podTerm),
  preferredDuringSchedulingIgnoredDuringExecution: items(fields({ weight, podAffinityTerm: podTerm })),
});

const affinity = fields({
  nodeAffinity: fields({
    requiredDuringSchedulingIgnoredDuringExecution: all(
      needs(["nodeSelectorTerms"], "must have at least one node selector term"),
      fields({ nodeSelectorTerms: items(nodeTerm) }),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: items(fields({ weight, preference: nodeTerm })),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});

const spread = all(fields({ maxSkew: positive }), topologyKey, fields({ labelSelector: selector }));

const searchText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const search = named((value) =>
  value === "." || /^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:\._?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*\.?$/.test(value)
    ? []
    : [searchText],
);
const atMost = (count: number, what: string): Check =>
  unless((value) => !Array.isArray(value) || value.length <= count, `must not have more than ${count} ${what}`);

const dns = fields({
  nameservers: all(atMost(3, "nameservers"), items(address)),
  searches: all(atMost(32, "search paths"), items(search)),
  options: items((value, path, problems) => {
    if (!isFields(value) || asText(value.name) !== "") return;
    problems.push(fieldProblem("FieldValueRequired", path, "must not be empty"));
  }),
});

const sysctlPattern = /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;
const sysctl = fields({
  name: unless(
    (value) => asText(value).length <= 253 && sysctlPattern.test(asText(value)),
    "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
  ),
});

/** Ports of the node have the container's number when the Pod lives in the node's network. */
const nodePorts: Check = (value, path, problems) => {
  if (!isFields(value) || value.hostNetwork !== true) return;
  for (const [at, container] of listAt(value, "containers").entries()) {
    for (const [index, { hostPort = 0, containerPort }] of listAt(container, "ports").entries()) {
      if (hostPort === 0 || hostPort === containerPort) continue;
      const detail = "must match `containerPort` when `hostNetwork` is true";
      const field = `${path}.containers[${at}].ports[${index}].hostPort`;
      problems.push(fieldProblem("FieldValueInvalid", field, detail, hostPort));
    }
  }
};

/** What the spec of a Pod says besides its containers and volumes. */
export const podFields: Check = all(
  nodePorts,
  fields({
    restartPolicy: oneOf("Always", "OnFailure", "Never"),
    dnsPolicy: oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"),
    nodeSelector: labels,
    securityContext: fields({
      fsGroup: id,
      runAsUser: id,
      runAsGroup: id,
      supplementalGroups: items(id),
      seccompProfile: seccomp,
      sysctls: items(sysctl),
    }),
    affinity,
    dnsConfig: dns,
  }),
  judge(({ dnsPolicy, dnsConfig }, refuse) => {
    if (dnsPolicy === "None" && !isFields(dnsConfig)) {
      refuse("FieldValueRequired", "dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None");
    }
  }),
  fields({
    readinessGates: items(fields({ conditionType: qualified })),
    schedulingGates: items((value, path, problems) => {
      if (isFields(value)) qualified(value.name, path, problems);
    }),
    topologySpreadConstraints: items(spread),
    serviceAccountName: subdomain,
    nodeName: subdomain,
    activeDeadlineSeconds: deadline,
    hostname: label,
    subdomain: label,
    tolerations: items(toleration),
    hostAliases: items(fields({ ip: address, hostnames: items(subdomain) })),
    priorityClassName: subdomain,
    os: (value, path, problems) => {
      if (isFields(value)) oneOf("linux", "windows")(value.name, path, problems);
    },
  }),
);

/** Containers for debugging come later. */
export const newPodFields: Check = forbidden(
  ({ ephemeralContainers }) => ephemeralContainers !== undefined,
  "ephemeralContainers",
  "cannot be set on create",
);
