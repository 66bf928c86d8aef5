import { fieldProblem } from "../../api-error.ts";
import { address, block } from "./addresses.ts";
import { all, type Check, fields, items, qualified, unless } from "./checks.ts";
import { asText, type Fields, listAt } from "./edit.ts";

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Fields that only some types of Services have. */
interface Restriction {
  readonly field: string;
  /** The name in the problem when Kubernetes has another one. */
  readonly shown?: string;
  readonly isFor: (spec: Fields) => boolean;
  readonly reason: "FieldValueForbidden" | "FieldValueInvalid";
  readonly detail: string;
}

const isBalanced = ({ type }: Fields): boolean => type === "LoadBalancer";
const isOutside = (spec: Fields): boolean =>
  isBalanced(spec) || spec.type === "NodePort" || Array.isArray(spec.externalIPs);
const onlyBalanced = "may only be used when `type` is 'LoadBalancer'";

const restrictions: readonly Restriction[] = [
  {
    field: "externalTrafficPolicy",
    isFor: isOutside,
    reason: "FieldValueInvalid",
    detail: "may only be set for externally-accessible services",
  },
  {
    field: "loadBalancerSourceRanges",
    shown: "LoadBalancerSourceRanges",
    isFor: isBalanced,
    reason: "FieldValueForbidden",
    detail: onlyBalanced,
  },
  { field: "loadBalancerClass", isFor: isBalanced, reason: "FieldValueForbidden", detail: onlyBalanced },
  {
    field: "healthCheckNodePort",
    isFor: (spec) => isBalanced(spec) && spec.externalTrafficPolicy === "Local",
    reason: "FieldValueInvalid",
    detail: "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
  },
];

const restricted: Check = (value, path, problems) => {
  const spec = value as Fields;
  for (const { field, shown = field, isFor, reason, detail } of restrictions) {
    if (!isText(spec[field]) && typeof spec[field] !== "number" && !Array.isArray(spec[field])) continue;
    if (isFor(spec) || spec[field] === 0) continue;
    const given = reason === "FieldValueInvalid" ? [spec[field]] : [];
    problems.push(fieldProblem(reason, `${path}.${shown}`, detail, ...(given as [unknown?])));
  }
};

/** An address of the cluster, none at all, or one yet to be given. */
const clusterAddress: Check = (value, path, problems) => {
  const { type, clusterIP } = value as Fields;
  if (!isText(clusterIP)) return;
  const at = `${path}.clusterIPs`;
  if (type === "ExternalName") {
    problems.push(fieldProblem("FieldValueForbidden", at, "may not be set for ExternalName services"));
  } else if (clusterIP !== "None") {
    address(clusterIP, `${at}[0]`, problems);
  } else if (type !== "ClusterIP") {
    const detail = `may not be set to 'None' for ${asText(type)} services`;
    problems.push(fieldProblem("FieldValueInvalid", `${at}[0]`, detail, clusterIP));
  }
};

/** Addresses are of IPv4; only a headless Service without selector says nothing of the cluster's own. */
const families: Check = (value, path, problems) => {
  const { clusterIP, selector, ipFamilies, ipFamilyPolicy, type } = value as Fields;
  if (type === "ExternalName" || (clusterIP === "None" && selector === undefined)) return;
  const first: unknown = Array.isArray(ipFamilies) ? ipFamilies[0] : undefined;
  if (ipFamilyPolicy === "RequireDualStack") {
    const detail = "this cluster is not configured for dual-stack services";
    problems.push(fieldProblem("FieldValueInvalid", `${path}.ipFamilyPolicy`, detail, ipFamilyPolicy));
  }
  if (first !== "IPv6") return;
  problems.push(fieldProblem("FieldValueInvalid", `${path}.ipFamilies[0]`, "not configured on this cluster", first));
};

const twins: Check = (value, path, problems) => {
  const seen = new Set<string>();
  for (const [index, { protocol, port }] of listAt(value).entries()) {
    const key = `${asText(protocol)}/${asText(port)}`;
    const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    if (seen.has(key)) problems.push(fieldProblem("FieldValueDuplicate", `${path}[${index}]`, "", shown));
    seen.add(key);
  }
};

/** What the spec of a Service says besides names, ports and selector. */
export const serviceFields: Check = all(
  clusterAddress,
  families,
  restricted,
  fields({
    ports: all(items(fields({ appProtocol: qualified })), twins),
    sessionAffinityConfig: fields({
      clientIP: fields({
        timeoutSeconds: unless(
          (value) => typeof value !== "number" || (value > 0 && value <= 86_400),
          "must be greater than 0 and less than 86400",
        ),
      }),
    }),
    externalIPs: items(address),
    loadBalancerSourceRanges: (value, _path, problems) =>
      items(block)(value, "spec.LoadBalancerSourceRanges", problems),
  }),
);
