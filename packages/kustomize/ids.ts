/** Group, version and kind; empty fields of a selector match anything. */
export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What identifies an object while it is built. */
export interface ResId extends Gvk {
  readonly name: string;
  readonly namespace: string;
}

const clusterScoped: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["", new Set(["ComponentStatus", "Namespace", "Node", "PersistentVolume"])],
  [
    "admissionregistration.k8s.io",
    new Set([
      "MutatingAdmissionPolicy",
      "MutatingAdmissionPolicyBinding",
      "MutatingWebhookConfiguration",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "ValidatingWebhookConfiguration",
    ]),
  ],
  ["apiextensions.k8s.io", new Set(["CustomResourceDefinition"])],
  ["apiregistration.k8s.io", new Set(["APIService"])],
  ["authentication.k8s.io", new Set(["SelfSubjectReview", "TokenReview"])],
  ["authorization.k8s.io", new Set(["SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"])],
  ["certificates.k8s.io", new Set(["CertificateSigningRequest", "ClusterTrustBundle"])],
  ["flowcontrol.apiserver.k8s.io", new Set(["FlowSchema", "PriorityLevelConfiguration"])],
  ["networking.k8s.io", new Set(["IPAddress", "IngressClass", "ServiceCIDR"])],
  ["node.k8s.io", new Set(["RuntimeClass"])],
  ["policy", new Set(["PodSecurityPolicy"])],
  ["rbac.authorization.k8s.io", new Set(["ClusterRole", "ClusterRoleBinding"])],
  ["resource.k8s.io", new Set(["DeviceClass", "DeviceTaintRule", "ResourceSlice"])],
  ["scheduling.k8s.io", new Set(["PriorityClass"])],
  ["storage.k8s.io", new Set(["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"])],
]);

/** True for kinds that are known to live outside namespaces; unknown kinds count as namespaced. */
export function isClusterScoped({ group, kind }: Gvk): boolean {
  return clusterScoped.get(group)?.has(kind) === true;
}

/** The namespace that counts: none and `default` are one, cluster-scoped kinds have none at all. */
export function effectiveNamespace(id: ResId): string {
  if (isClusterScoped(id)) return "";
  return id.namespace === "" ? "default" : id.namespace;
}

export function equalIds(a: ResId, b: ResId): boolean {
  return equalGvks(a, b) && a.name === b.name && effectiveNamespace(a) === effectiveNamespace(b);
}

/** A text that is the same for equal identities only. */
export function idKey(id: ResId): string {
  return JSON.stringify([id.group, id.version, id.kind, id.name, effectiveNamespace(id)]);
}

export function equalGvks(a: Gvk, b: Gvk): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}

/** True when every field that the selector names is the same. */
export function isSelected(gvk: Gvk, selector: Partial<Gvk>): boolean {
  return (
    (!selector.group || selector.group === gvk.group) &&
    (!selector.version || selector.version === gvk.version) &&
    (!selector.kind || selector.kind === gvk.kind)
  );
}

/** `apps/v1` → its parts. */
export function parseApiVersion(apiVersion: string): Pick<Gvk, "group" | "version"> {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `ConfigMap.v1.[noGrp]/conf.[noNs]`. */
export function formatId({ group, version, kind, name, namespace }: ResId): string {
  const or = (text: string, absent: string): string => (text === "" ? absent : text);
  return `${or(kind, "[noKind]")}.${or(version, "[noVer]")}.${or(group, "[noGrp]")}/${or(name, "[noName]")}.${or(namespace, "[noNs]")}`;
}
