import { randomInt } from "node:crypto";
import type { AnyObject } from "@kyma-operators/kube";
import { type ApiError, apiError } from "../../api-error.ts";
import { generatedName } from "../names.ts";
import type { StrategyContext } from "../resource.ts";
import { type Fields, listAt, textAt } from "./edit.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** 403 for a Pod, as admission refuses it. */
export function refusal({ metadata: { name = "" } }: AnyObject, message: string): ApiError {
  return apiError.forbidden({ resource: "pods", kind: "Pod", group: "", name }, message);
}

/**
 * A Pod runs as a service account of its namespace and finds the account's token in a volume. Throws 403 for an account
 * that does not exist.
 */
export function withServiceAccount(pod: AnyObject, context: StrategyContext): AnyObject {
  const spec = pod.spec as Fields;
  const name = textAt(spec, "serviceAccountName") || "default";
  const account = accountOf(pod, name, context);
  const named = { ...spec, serviceAccountName: name, serviceAccount: name, ...pullSecrets(spec, account) };
  const mounts = spec.automountServiceAccountToken ?? account?.automountServiceAccountToken ?? true;
  return { ...pod, spec: mounts === true && needsMount(spec) ? withToken(named) : named };
}

/** The account of a new namespace comes a moment later. */
function accountOf(pod: AnyObject, name: string, context: StrategyContext): AnyObject | undefined {
  const { namespace = "" } = pod.metadata;
  const account = context.get("/serviceaccounts", namespace, name);
  if (account !== undefined || name === "default") return account;
  const place = `error looking up service account ${namespace}/${name}`;
  throw refusal(pod, `${place}: serviceaccount "${name}" not found`);
}

function pullSecrets(spec: Fields, account: AnyObject | undefined): Fields {
  const own = listAt(spec, "imagePullSecrets");
  const given = listAt(account, "imagePullSecrets");
  return own.length > 0 || given.length === 0 ? {} : { imagePullSecrets: given };
}

const isMounted = (container: Fields): boolean =>
  listAt(container, "volumeMounts").some((mount) => mount.mountPath === mountPath);

function needsMount(spec: Fields): boolean {
  return [...listAt(spec, "containers"), ...listAt(spec, "initContainers")].some((container) => !isMounted(container));
}

function withToken(spec: Fields): Fields {
  const name = generatedName("kube-api-access-", (limit) => randomInt(limit));
  const mount = (container: Fields): Fields =>
    isMounted(container)
      ? container
      : { ...container, volumeMounts: [...listAt(container, "volumeMounts"), { name, readOnly: true, mountPath }] };
  return {
    ...spec,
    volumes: [...listAt(spec, "volumes"), { name, projected: { defaultMode: 420, sources } }],
    containers: listAt(spec, "containers").map(mount),
    ...(spec.initContainers === undefined ? {} : { initContainers: listAt(spec, "initContainers").map(mount) }),
  };
}

const sources = [
  { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
  { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
  { downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] } },
];
