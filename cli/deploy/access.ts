import type { AnyObject } from "@kyma-operators/kube";
import { formatYaml } from "@kyma-operators/yaml";
import { labels } from "../../apis/operator/labels.ts";
import { names } from "../../apis/operator/names.ts";

/** The account as which the operator installs modules on the cluster it runs on. */
export const runtimeAccount = "kyma-runtime";
export const tokenSecret = "kyma-runtime-token";

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
 * What makes the cluster its own runtime: an account with the rights that modules need, its token, and the access
 * Secret of the Kyma, whose content only the cluster knows.
 */
export function buildAccess({ namespace, kymaName, wildcardPermissions, role }: AccessInput): readonly AnyObject[] {
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: runtimeAccount, namespace } },
    ...ownRights(namespace, role),
    ...(wildcardPermissions ? wildcardRights(namespace) : []),
    {
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/service-account-token",
      metadata: {
        name: tokenSecret,
        namespace,
        annotations: { "kubernetes.io/service-account.name": runtimeAccount },
      },
    },
    accessSecret({ namespace, kymaName }),
  ];
}

/** The access Secret of a Kyma, still without the kubeconfig. */
export function accessSecret({ namespace, kymaName }: Pick<AccessInput, "namespace" | "kymaName">): AnyObject {
  const metadata = { name: `kubeconfig-${kymaName}`, namespace, labels: { [labels.kymaName]: kymaName } };
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

/** Base64 texts of a service account's token Secret. */
export interface Token {
  readonly token: string;
  readonly ca: string;
}

/** The access Secret with a kubeconfig that leads to this cluster as the account of the token. */
export function filledAccess(secret: AnyObject, { token, ca }: Token, server: string): AnyObject {
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "runtime", cluster: { server, "certificate-authority-data": ca } }],
    users: [{ name: runtimeAccount, user: { token: Buffer.from(token, "base64").toString("utf8") } }],
    contexts: [{ name: "runtime", context: { cluster: "runtime", user: runtimeAccount } }],
    "current-context": "runtime",
  };
  return { ...secret, data: { [names.accessSecretKey]: Buffer.from(formatYaml(kubeconfig)).toString("base64") } };
}
