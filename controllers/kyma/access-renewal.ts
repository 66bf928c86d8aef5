import { hasCode, textOf } from "@kyma-operators/errors";
import { builtIn, type Client, type Clock } from "@kyma-operators/kube";
import type { ManagerContext, Store } from "@kyma-operators/runtime";
import { formatYaml, parseYaml } from "@kyma-operators/yaml";
import { names } from "../../apis/operator/names.ts";
import { isTokenDue, runtimeAccountAnnotation, runtimeTokenSeconds } from "../../apis/operator/runtime-access.ts";
import type { Secret } from "./remote/access-secrets.ts";

const lookEveryMs = 60_000;
const { serviceAccounts, secrets } = builtIn;

/**
 * Renews the tokens in access Secrets that lead to the control plane's own cluster, as `kyma deploy` makes them, until
 * the signal ends it. A failure is tried again; half of the token's time is left for that. Where Kymas are split over
 * replicas, one of them may write, and the others say nothing.
 */
export async function renewRuntimeAccess(
  { client, clock, log }: Pick<ManagerContext, "client" | "clock" | "log">,
  store: Store<Secret>,
  signal: AbortSignal,
): Promise<void> {
  const tryToRenew = async (secret: Secret): Promise<void> => {
    const { namespace = "", name = "" } = secret.metadata;
    try {
      await renew(client, secret, signal);
      log.info({ namespace, name }, "the token of an access Secret is renewed");
    } catch (error) {
      if (signal.aborted || hasCode(error, "RUNTIME_LEASE_LOST")) return;
      log.warn({ namespace, name, error: textOf(error) }, "a token can't be renewed");
    }
  };
  while (!signal.aborted) {
    for (const secret of store.list().filter((entry) => isDue(entry, clock))) await tryToRenew(secret);
    await clock.sleep(lookEveryMs, signal).catch(() => undefined);
  }
}

interface Kubeconfig {
  readonly users?: readonly { readonly name: string; readonly user?: { readonly token?: string } }[];
}

function isDue(secret: Secret, clock: Clock): boolean {
  if (secret.metadata.annotations?.[runtimeAccountAnnotation] === undefined) return false;
  const token = kubeconfigIn(secret)?.users?.[0]?.user?.token;
  return token !== undefined && isTokenDue(token, clock.now());
}

async function renew(client: Client, secret: Secret, signal: AbortSignal): Promise<void> {
  const { namespace = "", name = "", annotations = {}, resourceVersion } = secret.metadata;
  const account = { resource: serviceAccounts, namespace, name: annotations[runtimeAccountAnnotation] ?? "" };
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: runtimeTokenSeconds },
  };
  const { status } = await client.createSubresource<{ status: { token: string } }>(account, "token", request, {
    signal,
  });
  const config = kubeconfigIn(secret) ?? {};
  const users = (config.users ?? []).map((entry) => ({ ...entry, user: { ...entry.user, token: status.token } }));
  const text = formatYaml({ ...config, users });
  const patch = {
    metadata: { resourceVersion },
    data: { [names.accessSecretKey]: Buffer.from(text).toString("base64") },
  };
  await client.mergePatch({ resource: secrets, namespace, name }, patch, { signal });
}

/** Undefined for what is no kubeconfig; connecting to the cluster says so. */
function kubeconfigIn({ data }: Secret): Kubeconfig | undefined {
  try {
    return parseYaml(Buffer.from(data?.[names.accessSecretKey] ?? "", "base64").toString("utf8")) as Kubeconfig;
  } catch {
    return undefined;
  }
}
