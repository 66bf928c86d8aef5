import { type AnyObject, builtIn, type Client, optional } from "@kyma-operators/kube";
import { unlessHidden } from "../cluster-kinds.ts";

const { configMaps, nodes } = builtIn;

/** What is known of the cluster before anything is written to it. */
export interface ClusterFacts {
  /** `embedded` is our own API server, whose Pods are processes of its host. */
  readonly type: "embedded" | "gardener" | "gke" | "k3d" | "kind" | "unknown";
  /** Domain under which the cluster can be reached, where it says so. */
  readonly domain?: string;
}

export const unknownCluster: ClusterFacts = { type: "unknown" };

/** Looks at nodes and Gardener's own ConfigMap; what the user may not see counts as not there. */
export async function discoverCluster(client: Client, signal: AbortSignal): Promise<ClusterFacts> {
  const [shootInfo, found] = await Promise.all([
    unlessHidden(
      optional(client.get({ resource: configMaps, namespace: "kube-system", name: "shoot-info" }, { signal })),
    ),
    unlessHidden(client.list<Node>(nodes, { signal })),
  ]);
  return clusterOf(shootInfo, found?.items ?? []);
}

/** A node as far as it tells what kind of cluster it is in. */
export type Node = AnyObject & {
  readonly status?: {
    readonly nodeInfo?: {
      readonly kubeletVersion?: string;
      readonly kubeProxyVersion?: string;
      readonly containerRuntimeVersion?: string;
    };
  };
};

/** The local clusters are known by the names of their nodes, GKE and the embedded server by their versions. */
export function clusterOf(shootInfo: AnyObject | undefined, found: readonly Node[]): ClusterFacts {
  const { domain } = (shootInfo?.["data"] ?? {}) as { readonly domain?: string };
  if (domain !== undefined) return { type: "gardener", domain };
  const names = found.map(({ metadata }) => metadata.name ?? "");
  if (names.some((name) => name.startsWith("k3d-"))) return { type: "k3d", domain: localDomain };
  const versions = found.flatMap(({ status }) => [
    status?.nodeInfo?.kubeletVersion,
    status?.nodeInfo?.kubeProxyVersion,
  ]);
  if (versions.some((version) => version?.includes("-gke."))) return { type: "gke" };
  const isKind = names.some((name) => /^(kind|.+)-control-plane$/.test(name));
  if (isKind) return { type: "kind" };
  const runtimes = found.map(({ status }) => status?.nodeInfo?.containerRuntimeVersion ?? "");
  return runtimes.some((version) => version.startsWith("simulated:")) ? { type: "embedded" } : unknownCluster;
}

/** Leads to loopback by public DNS. */
const localDomain = "local.kyma.dev";

/** True for clusters that only their owner uses. */
export function isLocal({ type }: ClusterFacts): boolean {
  return type === "k3d" || type === "kind";
}
