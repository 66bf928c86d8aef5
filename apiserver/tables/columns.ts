import type { AnyObject } from "@kyma-operators/kube";
import { asText, isFields, listAt, textAt, valueAt } from "../resources/kinds/edit.ts";
import { parseTimestamp } from "../system-clock.ts";
import { formatAge, formatDuration, formatSelector } from "./format.ts";
import type { Column, TableLayout } from "./layout.ts";
import { podCells } from "./pod-cells.ts";

type Cell = (object: AnyObject, now: number) => unknown;
type Definition = readonly [
  name: string,
  cell: Cell,
  options?: { readonly type?: string; readonly wide?: boolean; readonly format?: string },
];

const nameDescription =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: nameDescription,
  priority: 0,
};
const name: Definition = ["Name", ({ metadata }) => metadata.name, { format: "name" }];
const age: Definition = ["Age", ({ metadata }, now) => formatAge(metadata.creationTimestamp, now)];

function layout(...definitions: readonly Definition[]): TableLayout {
  return {
    columns: definitions.map(([title, , options = {}]) => ({
      name: title,
      type: options.type ?? "string",
      format: options.format ?? "",
      description: "",
      priority: options.wide === true ? 1 : 0,
    })),
    cells: (object, now) => definitions.map(([, cell]) => cell(object, now)),
  };
}

/** The table of a kind without columns of its own. */
export const plainLayout: TableLayout = layout(name, [
  "Age",
  ({ metadata }, now) => formatAge(metadata.creationTimestamp, now),
]);

const number = { type: "integer" } as const;
const wide = { wide: true } as const;
const numberText = (value: unknown, ...path: readonly string[]): string => textAt(value, ...path) || "0";
const at =
  (...path: readonly string[]): Cell =>
  (object) =>
    valueAt(object, ...path);
const text =
  (fallback: string, ...path: readonly string[]): Cell =>
  (object) =>
    valueAt(object, ...path) ?? fallback;
const count =
  (...path: readonly string[]): Cell =>
  (object) =>
    valueAt(object, ...path) ?? 0;
const size =
  (...path: readonly string[]): Cell =>
  (object) => {
    const value = valueAt(object, ...path);
    if (Array.isArray(value)) return value.length;
    return isFields(value) ? Object.keys(value).length : 0;
  };
const orNone = (list: readonly unknown[], separator = ","): string =>
  list.length === 0 ? "<none>" : list.join(separator);

const containers: Cell = (object) =>
  listAt(object, "spec", "template", "spec", "containers")
    .map((c) => c.name)
    .join(",");
const images: Cell = (object) =>
  listAt(object, "spec", "template", "spec", "containers")
    .map((c) => c.image)
    .join(",");
const selector: Cell = (object) => formatSelector(valueAt(object, "spec", "selector"));
const wideWorkload: readonly Definition[] = [
  ["Containers", containers, wide],
  ["Images", images, wide],
  ["Selector", selector, wide],
];
const inJob =
  (cell: Cell): Cell =>
  (job, now) =>
    cell({ ...job, spec: valueAt(job, "spec", "jobTemplate", "spec") }, now);
const ready: Cell = (object) =>
  `${numberText(object, "status", "readyReplicas")}/${numberText(object, "spec", "replicas")}`;

const externalAddress: Cell = (service) => {
  const type = valueAt(service, "spec", "type");
  const addresses = listAt(service, "status", "loadBalancer", "ingress").map(({ ip, hostname }) => ip ?? hostname);
  const external = valueAt(service, "spec", "externalIPs");
  if (type === "ExternalName") return valueAt(service, "spec", "externalName");
  if (type === "LoadBalancer") return addresses.length > 0 ? addresses.join(",") : "<pending>";
  return orNone(Array.isArray(external) ? external : []);
};
const servicePorts: Cell = (service) =>
  orNone(
    listAt(service, "spec", "ports").map(({ port, nodePort, protocol }) =>
      [asText(port), nodePort === undefined ? "" : `:${asText(nodePort)}`, `/${asText(protocol)}`].join(""),
    ),
  );

const endpoints: Cell = (object) =>
  orNone(
    listAt(object, "subsets").flatMap((subset) =>
      listAt(subset, "addresses").flatMap(({ ip }) =>
        listAt(subset, "ports").map(({ port }) => `${asText(ip)}:${asText(port)}`),
      ),
    ),
  );
const sliceAddresses: Cell = (object) =>
  orNone(listAt(object, "endpoints").flatMap(({ addresses }) => (Array.isArray(addresses) ? addresses : [])));
const slicePorts: Cell = (object) => orNone(listAt(object, "ports").map(({ port }) => port));

const hosts: Cell = (object) => {
  const list = listAt(object, "spec", "rules").map(({ host }) => asText(host ?? "*"));
  return list.length === 0 ? "*" : [...new Set(list)].join(",");
};
const ingressPorts: Cell = (object) => (listAt(object, "spec", "tls").length > 0 ? "80, 443" : "80");
const ingressAddress: Cell = (object) =>
  listAt(object, "status", "loadBalancer", "ingress")
    .map(({ ip, hostname }) => ip ?? hostname)
    .join(",");

const jobDuration: Cell = (job, now) => {
  const start = parseTimestamp(valueAt(job, "status", "startTime"));
  if (start === undefined) return "";
  return formatDuration((parseTimestamp(valueAt(job, "status", "completionTime")) ?? now) - start);
};
const jobStatus: Cell = (job) => {
  const condition = listAt(job, "status", "conditions").find(
    ({ type, status }) => status === "True" && ["Complete", "Failed", "Suspended"].includes(String(type)),
  );
  return condition?.type ?? "Running";
};
const nodeStatus: Cell = (node) => {
  const ready = listAt(node, "status", "conditions").find(({ type }) => type === "Ready");
  const state = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return valueAt(node, "spec", "unschedulable") === true ? `${state},SchedulingDisabled` : state;
};
const rolePrefix = "node-role.kubernetes.io/";
const nodeRoles: Cell = ({ metadata: { labels = {} } }) =>
  orNone(
    Object.keys(labels)
      .filter((key) => key.startsWith(rolePrefix))
      .map((key) => key.slice(rolePrefix.length))
      .sort(),
  );
const nodeAddress =
  (kind: string): Cell =>
  (node) =>
    listAt(node, "status", "addresses").find(({ type }) => type === kind)?.address ?? "<none>";
const orUnknown =
  (field: string): Cell =>
  (node) =>
    textAt(node, "status", "nodeInfo", field) || "<unknown>";

/** What each metric of an autoscaler is to be; nothing measures what it is. */
const targets: Cell = (scaler) => {
  const list = listAt(scaler, "spec", "metrics")
    .filter(({ type }) => type === "Resource")
    .map(({ resource }) => {
      const share = textAt(resource, "target", "averageUtilization");
      const goal = share === "" ? textAt(resource, "target", "averageValue") : `${share}%`;
      return `${textAt(resource, "name")}: <unknown>/${goal}`;
    });
  return list.length === 0 ? "<none>" : list.join(", ");
};

const roleOf: Cell = (binding) => `${textAt(binding, "roleRef", "kind")}/${textAt(binding, "roleRef", "name")}`;
const subjectsOf =
  (kind: string): Cell =>
  (binding) =>
    listAt(binding, "subjects")
      .filter((subject) => subject.kind === kind)
      .map((subject) =>
        kind === "ServiceAccount" ? `${asText(subject.namespace)}/${asText(subject.name)}` : subject.name,
      )
      .join(", ");
const wideBinding: readonly Definition[] = [
  ["Users", subjectsOf("User"), wide],
  ["Groups", subjectsOf("Group"), wide],
  ["ServiceAccounts", subjectsOf("ServiceAccount"), wide],
];
const eventObject: Cell = (event) => {
  const { kind, name: of } = (event.involvedObject ?? event.regarding ?? {}) as { kind?: string; name?: string };
  return `${(kind ?? "").toLowerCase()}/${of ?? ""}`;
};
const lastSeen: Cell = (event, now) =>
  formatAge(
    event.lastTimestamp ??
      event.deprecatedLastTimestamp ??
      event.eventTime ??
      event.firstTimestamp ??
      event.metadata.creationTimestamp,
    now,
  );
const createdAt: Definition = ["Created At", ({ metadata }) => metadata.creationTimestamp];

/** Columns of the kinds that `kubectl get` prints in its own way, by `group/plural`. */
export const layouts: Readonly<Record<string, TableLayout>> = {
  "/pods": podCells,
  "/namespaces": layout(name, ["Status", at("status", "phase")], age),
  "/configmaps": layout(
    name,
    ["Data", (map) => (size("data")(map, 0) as number) + (size("binaryData")(map, 0) as number), number],
    age,
  ),
  "/secrets": layout(name, ["Type", at("type")], ["Data", size("data"), number], age),
  "/serviceaccounts": layout(name, age),
  "/services": layout(
    name,
    ["Type", at("spec", "type")],
    ["Cluster-IP", text("<none>", "spec", "clusterIP")],
    ["External-IP", externalAddress],
    ["Port(s)", servicePorts],
    age,
    ["Selector", (service) => formatSelector({ matchLabels: valueAt(service, "spec", "selector") }), wide],
  ),
  "/endpoints": layout(name, ["Endpoints", endpoints], age),
  "/events": layout(
    ["Last Seen", lastSeen],
    ["Type", at("type")],
    ["Reason", at("reason")],
    ["Object", eventObject],
    ["Message", (event) => asText(event.message ?? event.note).trim()],
  ),
  "/nodes": layout(
    name,
    ["Status", nodeStatus],
    ["Roles", nodeRoles],
    age,
    ["Version", at("status", "nodeInfo", "kubeletVersion")],
    ["Internal-IP", nodeAddress("InternalIP"), wide],
    ["External-IP", nodeAddress("ExternalIP"), wide],
    ["OS-Image", orUnknown("osImage"), wide],
    ["Kernel-Version", orUnknown("kernelVersion"), wide],
    ["Container-Runtime", orUnknown("containerRuntimeVersion"), wide],
  ),
  "/persistentvolumeclaims": layout(
    name,
    ["Status", at("status", "phase")],
    ["Volume", text("", "spec", "volumeName")],
    ["Capacity", text("", "status", "capacity", "storage")],
    ["Access Modes", (claim) => orNone((valueAt(claim, "status", "accessModes") as unknown[] | undefined) ?? [])],
    ["StorageClass", text("", "spec", "storageClassName")],
    age,
  ),
  "apps/deployments": layout(
    name,
    ["Ready", ready],
    ["Up-to-date", count("status", "updatedReplicas"), number],
    ["Available", count("status", "availableReplicas"), number],
    age,
    ...wideWorkload,
  ),
  "apps/replicasets": layout(
    name,
    ["Desired", count("spec", "replicas"), number],
    ["Current", count("status", "replicas"), number],
    ["Ready", count("status", "readyReplicas"), number],
    age,
    ...wideWorkload,
  ),
  "apps/statefulsets": layout(name, ["Ready", ready], age, ...wideWorkload.slice(0, 2)),
  "apps/daemonsets": layout(
    name,
    ["Desired", count("status", "desiredNumberScheduled"), number],
    ["Current", count("status", "currentNumberScheduled"), number],
    ["Ready", count("status", "numberReady"), number],
    ["Up-to-date", count("status", "updatedNumberScheduled"), number],
    ["Available", count("status", "numberAvailable"), number],
    [
      "Node Selector",
      (set) => formatSelector({ matchLabels: valueAt(set, "spec", "template", "spec", "nodeSelector") }),
    ],
    age,
    ...wideWorkload,
  ),
  "batch/jobs": layout(
    name,
    ["Status", jobStatus],
    ["Completions", (job) => `${numberText(job, "status", "succeeded")}/${textAt(job, "spec", "completions") || "1"}`],
    ["Duration", jobDuration],
    age,
    ...wideWorkload,
  ),
  "batch/cronjobs": layout(
    name,
    ["Schedule", at("spec", "schedule")],
    ["Timezone", text("<none>", "spec", "timeZone")],
    ["Suspend", (job) => (valueAt(job, "spec", "suspend") === true ? "True" : "False")],
    ["Active", size("status", "active"), number],
    [
      "Last Schedule",
      (job, now) =>
        valueAt(job, "status", "lastScheduleTime") === undefined
          ? "<none>"
          : formatAge(valueAt(job, "status", "lastScheduleTime"), now),
    ],
    age,
    ...wideWorkload.map(([title, cell, options]): Definition => [title, inJob(cell), options ?? {}]),
  ),
  "networking.k8s.io/ingresses": layout(
    name,
    ["Class", text("<none>", "spec", "ingressClassName")],
    ["Hosts", hosts],
    ["Address", ingressAddress],
    ["Ports", ingressPorts],
    age,
  ),
  "networking.k8s.io/networkpolicies": layout(
    name,
    ["Pod-Selector", (policy) => formatSelector(valueAt(policy, "spec", "podSelector"))],
    age,
  ),
  "policy/poddisruptionbudgets": layout(
    name,
    ["Min Available", (budget) => textAt(budget, "spec", "minAvailable") || "N/A"],
    ["Max Unavailable", (budget) => textAt(budget, "spec", "maxUnavailable") || "N/A"],
    ["Allowed Disruptions", count("status", "disruptionsAllowed"), number],
    age,
  ),
  "autoscaling/horizontalpodautoscalers": layout(
    name,
    [
      "Reference",
      (scaler) =>
        `${textAt(scaler, "spec", "scaleTargetRef", "kind")}/${textAt(scaler, "spec", "scaleTargetRef", "name")}`,
    ],
    ["Targets", targets],
    ["MinPods", (scaler) => textAt(scaler, "spec", "minReplicas") || "<unset>"],
    ["MaxPods", at("spec", "maxReplicas"), number],
    ["Replicas", count("status", "currentReplicas"), number],
    age,
  ),
  "rbac.authorization.k8s.io/roles": layout(name, createdAt),
  "rbac.authorization.k8s.io/clusterroles": layout(name, createdAt),
  "rbac.authorization.k8s.io/rolebindings": layout(name, ["Role", roleOf], age, ...wideBinding),
  "rbac.authorization.k8s.io/clusterrolebindings": layout(name, ["Role", roleOf], age, ...wideBinding),
  "coordination.k8s.io/leases": layout(name, ["Holder", text("", "spec", "holderIdentity")], age),
  "discovery.k8s.io/endpointslices": layout(
    name,
    ["AddressType", at("addressType")],
    ["Ports", slicePorts],
    ["Endpoints", sliceAddresses],
    age,
  ),
  "scheduling.k8s.io/priorityclasses": layout(
    name,
    ["Value", at("value"), number],
    ["Global-Default", (c) => c.globalDefault === true, { type: "boolean" }],
    age,
    ["PreemptionPolicy", at("preemptionPolicy")],
  ),
  "storage.k8s.io/storageclasses": layout(
    name,
    ["Provisioner", at("provisioner")],
    ["ReclaimPolicy", at("reclaimPolicy")],
    ["VolumeBindingMode", at("volumeBindingMode")],
    ["AllowVolumeExpansion", (c) => c.allowVolumeExpansion === true, { type: "boolean" }],
    age,
  ),
  "apiextensions.k8s.io/customresourcedefinitions": layout(name, createdAt),
  "admissionregistration.k8s.io/validatingwebhookconfigurations": layout(
    name,
    ["Webhooks", size("webhooks"), number],
    age,
  ),
  "admissionregistration.k8s.io/mutatingwebhookconfigurations": layout(
    name,
    ["Webhooks", size("webhooks"), number],
    age,
  ),
};

/** Of the subresource `scale`. */
export const scaleLayout: TableLayout = layout(
  name,
  ["Desired", count("spec", "replicas"), number],
  ["Available", count("status", "replicas"), number],
  age,
);
