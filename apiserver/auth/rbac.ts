import type { AnyObject } from "@kyma-operators/kube";
import type { UserInfo } from "../options.ts";
import type { Store } from "../storage/store.ts";

/** One question: may this user do this? */
export interface Attributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Set for paths that are no resources, for example `/healthz`. */
  readonly path?: string;
}

/** An answer with its reason. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export type Authorizer = (attributes: Attributes) => Decision;

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface Binding extends AnyObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef: { readonly kind: string; readonly name: string };
}

const group = "rbac.authorization.k8s.io";

/** Allows everyone everything. */
export const alwaysAllow: Authorizer = () => ({ allowed: true, reason: "" });

/** Roles and bindings as they are stored at the moment of the question; `system:masters` may do everything. */
export function rbacAuthorizer(store: Store): Authorizer {
  return (attributes) => {
    if (attributes.user.groups.includes("system:masters")) return { allowed: true, reason: "" };
    for (const { rule, origin } of rulesFor(store, attributes.user, attributes.namespace)) {
      if (ruleAllows(rule, attributes)) return { allowed: true, reason: `RBAC: allowed by ${origin}` };
    }
    return { allowed: false, reason: "" };
  };
}

/** Every rule that holds for the user: those of the cluster, and those of the namespace unless it is empty. */
export function* rulesFor(
  store: Store,
  user: UserInfo,
  namespace: string,
): Generator<{ readonly rule: PolicyRule; readonly origin: string }> {
  const clusterBindings = store.list(`${group}/clusterrolebindings`).map(({ object }) => object as Binding);
  yield* rulesOfBindings(store, user, clusterBindings);
  if (namespace === "") return;
  const bindings = store.list(`${group}/rolebindings`, namespace).map(({ object }) => object as Binding);
  yield* rulesOfBindings(store, user, bindings);
}

function* rulesOfBindings(
  store: Store,
  user: UserInfo,
  bindings: readonly Binding[],
): Generator<{ readonly rule: PolicyRule; readonly origin: string }> {
  for (const binding of bindings) {
    const namespace = binding.metadata.namespace ?? "";
    const subject = (binding.subjects ?? []).find((candidate) => isSubject(candidate, user, namespace));
    if (subject === undefined) continue;
    const { kind, name } = binding.roleRef;
    const origin = `${binding.kind} "${namespace === "" ? "" : `${binding.metadata.name}/`}${namespace === "" ? binding.metadata.name : namespace}" of ${kind} "${name}" to ${subject.kind} "${subjectName(subject)}"`;
    for (const rule of rulesOfRole(store, kind, name, namespace)) yield { rule, origin };
  }
}

const subjectName = ({ kind, name, namespace }: Subject): string =>
  kind === "ServiceAccount" ? `${name}/${namespace ?? ""}` : name;

/** The rules of a role by reference; none when it does not exist. */
export function rulesOfRole(store: Store, kind: string, name: string, namespace: string): readonly PolicyRule[] {
  const key =
    kind === "ClusterRole"
      ? { collection: `${group}/clusterroles`, namespace: "", name }
      : { collection: `${group}/roles`, namespace, name };
  return (store.get(key)?.object.rules as readonly PolicyRule[] | undefined) ?? [];
}

function isSubject(subject: Subject, user: UserInfo, bindingNamespace: string): boolean {
  if (subject.kind === "User") return subject.name === user.name;
  if (subject.kind === "Group") return user.groups.includes(subject.name);
  const namespace = subject.namespace ?? bindingNamespace;
  return user.name === `system:serviceaccount:${namespace}:${subject.name}`;
}

/** Whether one rule covers the question. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!covers(rule.verbs, attributes.verb)) return false;
  if (attributes.path !== undefined) return coversPath(rule.nonResourceURLs ?? [], attributes.path);
  const { apiGroups = [], resources = [], resourceNames = [] } = rule;
  const isNamed = resourceNames.length === 0 || resourceNames.includes(attributes.name);
  return isNamed && covers(apiGroups, attributes.group) && coversResource(resources, attributes);
}

const covers = (list: readonly string[], value: string): boolean => list.includes("*") || list.includes(value);

function coversResource(list: readonly string[], { resource, subresource }: Attributes): boolean {
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  return list.some((entry) => entry === "*" || entry === full || (subresource !== "" && entry === `*/${subresource}`));
}

function coversPath(list: readonly string[], path: string): boolean {
  return list.some(
    (entry) => entry === "*" || entry === path || (entry.endsWith("*") && path.startsWith(entry.slice(0, -1))),
  );
}

/** The sentence after `… is forbidden: `. */
export function denialMessage({ user, verb, group, resource, subresource, namespace, path }: Attributes): string {
  const who = `User "${user.name}" cannot ${verb}`;
  if (path !== undefined) return `${who} path "${path}"`;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`;
  return `${who} resource "${what}" in API group "${group}" ${where}`;
}
