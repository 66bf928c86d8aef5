import { createHash } from "node:crypto";
import type { NamedResource, Shoot } from "@kyma-operators/gardener";
import type { KubeObject } from "@kyma-operators/kube";
import { canonicalJson } from "@kyma-operators/runtime";
import { infrastructureManager, labels, type RegistryCache, type Runtime } from "../../apis/infrastructure/index.ts";
import type { RuntimeCluster } from "./cluster/cluster.ts";
import { cachePrefix, isCacheResource, registryCache } from "./shoot/index.ts";

/** A registry's credentials on their way into the Gardener project. */
export interface CacheSecret extends KubeObject {
  readonly type: string;
  readonly immutable: true;
  readonly data: Readonly<Record<string, string>>;
}

/** The caches of a cluster in the form that a Shoot takes. */
export interface CachePlan {
  readonly caches: readonly RegistryCache[];
  readonly secrets: readonly CacheSecret[];
  readonly resources: readonly NamedResource[];
}

export const noCaches: CachePlan = { caches: [], secrets: [], resources: [] };

const cacheLabel = "kyma-project.io/cache-id";

/** Selects the credentials of a Runtime's caches in the Gardener project. */
export function cacheSelector({ metadata }: Runtime): string {
  const id = metadata.labels?.[labels.runtimeId] ?? "";
  return `${labels.runtimeId}=${id},${labels.managedBy}=${infrastructureManager},${cacheLabel}`;
}

/**
 * Reads the caches of a cluster with their credentials.
 *
 * Gardener wants a registry's Secret beside the Shoot, and immutable; so its name follows from its content, and new
 * credentials become a new Secret.
 */
export async function collectCaches(runtime: Runtime, cluster: RuntimeCluster, namespace: string): Promise<CachePlan> {
  const caches: RegistryCache[] = [];
  const secrets: CacheSecret[] = [];
  for (const { cache, namespace: from } of await cluster.registryCaches()) {
    if (cache.secretReferenceName === undefined) {
      caches.push(cache);
      continue;
    }
    const data = await cluster.secretData(from, cache.secretReferenceName);
    const secret = cacheSecret(runtime, { cache, data, namespace });
    secrets.push(secret);
    caches.push({ ...cache, secretReferenceName: secret.metadata.name ?? "" });
  }
  const resources = secrets.map(({ metadata: { name = "" } }) => ({
    name,
    resourceRef: { apiVersion: "v1", kind: "Secret", name },
  }));
  return { caches, secrets, resources };
}

/** The caches that a Shoot has: what a cluster that sleeps asked for last. */
export function currentCaches({ spec }: Shoot): CachePlan {
  const extension = spec.extensions?.find(({ type, disabled }) => type === registryCache && disabled !== true);
  const caches = (extension?.providerConfig?.["caches"] ?? []) as readonly RegistryCache[];
  return { caches, secrets: [], resources: (spec.resources ?? []).filter(isCacheResource) };
}

interface Credentials {
  readonly cache: RegistryCache;
  readonly data: Readonly<Record<string, string>>;
  readonly namespace: string;
}

function cacheSecret({ metadata }: Runtime, { cache, data, namespace }: Credentials): CacheSecret {
  const runtimeId = metadata.labels?.[labels.runtimeId] ?? "";
  const cacheId = hash(cache.upstream);
  const name = `${cachePrefix}${hash(canonicalJson({ runtimeId, upstream: cache.upstream, data }))}`;
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "Opaque",
    immutable: true,
    metadata: {
      name,
      namespace,
      labels: { [labels.runtimeId]: runtimeId, [labels.managedBy]: infrastructureManager, [cacheLabel]: cacheId },
    },
    data,
  };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}
