import type { AnyObject } from "@kyma-operators/kube";
import { formatYaml } from "@kyma-operators/yaml";
import { labels } from "../../apis/operator/labels.ts";
import { names } from "../../apis/operator/names.ts";
import { runtimeAccountAnnotation } from "../../apis/operator/runtime-access.ts";
import { operator } from "./setup.ts";

/** The account as which the operator installs modules on the cluster it runs on. */
export const runtimeAccount = "kyma-runtime";
const renewal = "kyma-runtime-access";

/** Names that installations of the former command line have, too. */
export const wildcard = { role: "kyma-cli-provisioned-wildcard", binding: "lifecycle-manager-wildcard" };

export interface AccessInput {
  readonly namespace: string;
  readonly kymaName: string;
  /** Let modules install whatever they bring. */
  readonly wildcardPermissions: boolean;
  /** The ClusterRole with what the operator itself does on a runtime. */
  readonly role: AnyObject;
}

/**
 * What makes the cluster its own runtime: an account with the rights that modules need, the access Secret of the Kyma
 * with a token of that account, which only the cluster can give, and the operator's right to renew it.
 */
export function buildAccess({ namespace, kymaName, wildcardPermissions, role }: AccessInput): readonly AnyObject[] {
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: runtimeAccount, namespace } },
    ...ownRights(namespace, role),
    ...(wildcardPermissions ? wildcardRights(namespace) : []),
    ...renewalRights(namespace, kymaName),
    accessSecret({ namespace, kymaName }),
  ];
}

/** The access Secret of a Kyma, still without the kubeconfig. */
export function accessSecret({ namespace, kymaName }: Pick<AccessInput, "namespace" | "kymaName">): AnyObject {
  const metadata = {
    name: accessSecretName(kymaName),
    namespace,
    labels: { [labels.kymaName]: kymaName },
    annotations: { [runtimeAccountAnnotation]: runtimeAccount },
  };
  return { apiVersion: "v1", kind: "Secret", type: "Opaque", metadata };
}

const apiGroup = "rbac.authorization.k8s.io";

function ownRights(namespace: string, role: AnyObject): readonly AnyObject[] {
  return [
    { ...role, metadata: { name: runtimeAccount } },
    bindingOf({ binding: runtimeAccount, role: runtimeAccount, namespace }),
  ];
}

function bindingOf(names: { readonly binding: string; readonly role: string; readonly namespace: string }): AnyObject {
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: names.binding },
    roleRef: { apiGroup, kind: "ClusterRole", name: names.role },
    subjects: [{ kind: "ServiceAccount", name: runtimeAccount, namespace: names.namespace }],
  };
}

function accessSecretName(kymaName: string): string {
  return `kubeconfig-${kymaName}`;
}

/** The operator may renew the token of this one account, and write it into this one Secret. */
function renewalRights(namespace: string, kymaName: string): readonly AnyObject[] {
  const metadata = { name: renewal, namespace };
  const account = { apiGroups: [""], resources: ["serviceaccounts/token"], resourceNames: [runtimeAccount] };
  const secret = { apiGroups: [""], resources: ["secrets"], resourceNames: [accessSecretName(kymaName)] };
  return [
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "Role",
      metadata,
      rules: [
        { ...account, verbs: ["create"] },
        { ...secret, verbs: ["patch"] },
      ],
    },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup, kind: "Role", name: renewal },
      subjects: [{ kind: "ServiceAccount", name: operator.name, namespace }],
    },
  ];
}

function wildcardRights(namespace: string): readonly AnyObject[] {
  return [
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "ClusterRole",
      metadata: { name: wildcard.role },
      rules: [
        { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
        { nonResourceURLs: ["*"], verbs: ["*"] },
      ],
    },
    bindingOf({ ...wildcard, namespace }),
  ];
}

/** The access Secret with a kubeconfig that leads to this cluster as the account of the token. */
export function filledAccess(
  secret: AnyObject,
  { token, ca, server }: { readonly token: string; readonly ca: string; readonly server: string },
): AnyObject {
  const cluster = { server, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "runtime", cluster }],
    users: [{ name: runtimeAccount, user: { token } }],
    contexts: [{ name: "runtime", context: { cluster: "runtime", user: runtimeAccount } }],
    "current-context": "runtime",
  };
  return { ...secret, data: { [names.accessSecretKey]: Buffer.from(formatYaml(kubeconfig)).toString("base64") } };
}
