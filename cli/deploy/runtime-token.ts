import { type AnyObject, builtIn, optional } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import { names } from "../../apis/operator/names.ts";
import { isTokenDue, runtimeTokenSeconds } from "../../apis/operator/runtime-access.ts";
import { refTo } from "../cluster-kinds.ts";
import { pollUntil, type World } from "../poll.ts";
import { accessSecret, filledAccess, runtimeAccount } from "./access.ts";

const { serviceAccounts, configMaps, secrets } = builtIn;

interface AccessPlace {
  readonly namespace: string;
  readonly kymaName: string;
  /** How the operator reaches the cluster. */
  readonly server: string;
}

/** The access Secret as it is, while its token is good for long; else with a new token of the runtime's account. */
export async function fillAccess(world: World, place: AccessPlace, say: (text: string) => void): Promise<AnyObject> {
  const { client, io } = world;
  const secret = accessSecret(place);
  const present = await optional(client.get(refTo(secrets, secret), { signal: io.signal }));
  const data = (present?.["data"] ?? {}) as Readonly<Record<string, string>>;
  const config = data[names.accessSecretKey];
  if (config !== undefined && isGood(config, place.server, io.clock.now())) {
    return { ...secret, data: { [names.accessSecretKey]: config } };
  }
  const ca = await authorityOf(world, place.namespace, say);
  return filledAccess(secret, { token: await newToken(world, place.namespace), ca, server: place.server });
}

interface Kubeconfig {
  readonly clusters?: readonly { readonly cluster?: { readonly server?: string } }[];
  readonly users?: readonly { readonly user?: { readonly token?: string } }[];
}

function isGood(config: string, server: string, nowMs: number): boolean {
  const { clusters, users } = (parseYaml(Buffer.from(config, "base64").toString("utf8")) ?? {}) as Kubeconfig;
  return clusters?.[0]?.cluster?.server === server && !isTokenDue(users?.[0]?.user?.token ?? "", nowMs);
}

/** Every namespace gets the cluster's authority, a moment after it was made. */
async function authorityOf(world: World, namespace: string, say: (text: string) => void): Promise<string> {
  const { client, io } = world;
  const ref = { resource: configMaps, namespace, name: "kube-root-ca.crt" };
  let found = "";
  const look = async (): Promise<string | undefined> => {
    const map = await optional(client.get(ref, { signal: io.signal }));
    found = ((map?.["data"] ?? {}) as Readonly<Record<string, string>>)["ca.crt"] ?? "";
    return found === "" ? `ConfigMap ${namespace}/${ref.name} is not there yet` : undefined;
  };
  await pollUntil(world, look, say);
  return found;
}

async function newToken({ client, io }: World, namespace: string): Promise<string> {
  const account = { resource: serviceAccounts, namespace, name: runtimeAccount };
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: runtimeTokenSeconds },
  };
  const { status } = await client.createSubresource<{ status: { token: string } }>(account, "token", request, {
    signal: io.signal,
  });
  return status.token;
}
