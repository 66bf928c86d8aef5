import { hasCode } from "@kyma-operators/errors";
import type { Client, ObjectRef } from "@kyma-operators/kube";
import { type Command, Option } from "commander";
import { kymas } from "../../apis/operator/group.ts";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { names } from "../../apis/operator/names.ts";
import { type ClusterFlags, withClusterFlags } from "../cluster.ts";
import { unlessUnknown } from "../cluster-kinds.ts";
import { kymaName, namespaceName } from "../object-name.ts";
import { moduleErrors } from "./errors.ts";

export interface KymaFlags extends ClusterFlags {
  readonly kymaName?: string;
  readonly namespace?: string;
}

/** Adds the flags that choose a cluster and a Kyma on it. */
export function withKymaFlags(command: Command): Command {
  return withClusterFlags(command)
    .addOption(
      new Option("-k, --kyma-name <name>", "Kyma to work on; default the only one of the cluster").argParser(kymaName),
    )
    .addOption(new Option("-n, --namespace <namespace>", "namespace of the Kyma").argParser(namespaceName));
}

/** Whether it is the Kyma that a runtime keeps for itself. */
export function isOfRuntime({ metadata }: Kyma): boolean {
  return metadata.name === names.remoteKyma && metadata.namespace === names.remoteNamespace;
}

/**
 * The Kyma that the flags mean: the named one, else the one a runtime keeps for itself, else the only one there is.
 * Throws `MODULE_NO_KYMA` or `MODULE_AMBIGUOUS_KYMA`.
 */
export async function findKyma(client: Client, { kymaName, namespace }: KymaFlags, signal: AbortSignal): Promise<Kyma> {
  if (kymaName !== undefined && namespace !== undefined) return readKyma(client, { namespace, name: kymaName }, signal);
  const where = namespace === undefined ? {} : { namespace };
  const { items } = await orUndeployed(client.list<Kyma>(kymas, { ...where, signal }));
  const named = kymaName === undefined ? items : items.filter((kyma) => kyma.metadata.name === kymaName);
  const own = named.find(isOfRuntime);
  const [first, ...others] = own === undefined ? named : [own];
  if (first === undefined) {
    const under = kymaName === undefined ? "" : ` under the name ${kymaName}`;
    throw moduleErrors.NO_KYMA({
      where: (namespace === undefined ? "any namespace" : `namespace ${namespace}`) + under,
    });
  }
  if (others.length > 0) throw moduleErrors.AMBIGUOUS_KYMA({ names: named.map(nameOf) });
  return first;
}

/** The answer about a kind of ours. Throws `MODULE_NO_KYMA` where the cluster does not know it. */
export async function orUndeployed<T>(answer: Promise<T>): Promise<T> {
  const found = await unlessUnknown(answer);
  if (found === undefined) throw moduleErrors.NO_KYMA({ where: "this cluster, which does not know Kymas" });
  return found;
}

async function readKyma(client: Client, key: { namespace: string; name: string }, signal: AbortSignal): Promise<Kyma> {
  try {
    return await client.get<Kyma>({ resource: kymas, ...key }, { signal });
  } catch (error) {
    if (!hasCode(error, "KUBE_NOT_FOUND")) throw error;
    throw moduleErrors.NO_KYMA({ where: `namespace ${key.namespace} under the name ${key.name}` }, error);
  }
}

export function refOf(kyma: Kyma): ObjectRef {
  return { resource: kymas, namespace: kyma.metadata.namespace ?? "", name: kyma.metadata.name ?? "" };
}

/** `namespace/name`, as messages show it. */
export function nameOf(kyma: Kyma): string {
  return `${kyma.metadata.namespace}/${kyma.metadata.name}`;
}
