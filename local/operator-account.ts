import { join } from "node:path";
import type { AnyObject, Client } from "@kyma-operators/kube";
import type { ApiServer } from "../apiserver/index.ts";
import { readObjects } from "./world-files.ts";

/** A cluster on which the operator gets an account. */
interface Place {
  readonly server: ApiServer;
  /** The administrator. */
  readonly client: Client;
  readonly namespace: string;
}

const account = "kyma-operator";

/**
 * Gives the operator the rights that an installation gives it, and no more, so that a right that is missing in
 * `config` is missed here first. Answers its kubeconfig.
 */
export async function grantControlPlane(root: string, place: Place): Promise<string> {
  for (const folder of ["config/rbac", "config/watcher"]) {
    for (const object of await readObjects(join(root, folder))) await apply(place.client, object);
  }
  return kubeconfigOf(place);
}

/** The same in a garden, with the rights of `config/gardener`, and those that Gardener gives to every user. */
export async function grantGarden(root: string, place: Place): Promise<string> {
  const { namespace } = place;
  for (const object of await readObjects(join(root, "config/gardener"))) {
    const text = JSON.stringify(object).replaceAll('"garden-project"', JSON.stringify(namespace));
    await apply(place.client, JSON.parse(text) as AnyObject);
  }
  for (const object of readersOfGlobalResources) await apply(place.client, object);
  return kubeconfigOf(place);
}

const api = "rbac.authorization.k8s.io";
const globalReader = "gardener.cloud:system:read-global-resources";
const readersOfGlobalResources: readonly AnyObject[] = [
  {
    apiVersion: `${api}/v1`,
    kind: "ClusterRole",
    metadata: { name: globalReader },
    rules: [
      {
        apiGroups: ["core.gardener.cloud"],
        resources: ["cloudprofiles", "exposureclasses", "seeds"],
        verbs: ["get", "list", "watch"],
      },
    ],
  },
  {
    apiVersion: `${api}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: globalReader },
    roleRef: { apiGroup: api, kind: "ClusterRole", name: globalReader },
    subjects: [{ apiGroup: api, kind: "Group", name: "system:authenticated" }],
  },
];

async function apply(client: Client, object: AnyObject): Promise<void> {
  const resource = await client.resourceFor(object.apiVersion, object.kind);
  await client.apply(resource, object, { fieldManager: "kyma-local", force: true });
}

function kubeconfigOf({ server, namespace }: Place): Promise<string> {
  return server.kubeconfig({
    user: `system:serviceaccount:${namespace}:${account}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
  });
}
