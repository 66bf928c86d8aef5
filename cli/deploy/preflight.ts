import { type AnyObject, builtIn, type Client, optional } from "@kyma-operators/kube";
import { compare, parse } from "semver";
import { kymas } from "../../apis/operator/group.ts";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { unlessHidden, unlessUnknown } from "../cluster-kinds.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import { readReleases } from "../module/releases.ts";
import { wildcard } from "./access.ts";
import { type ClusterFacts, discoverCluster, isLocal } from "./cluster-type.ts";
import { deployErrors } from "./errors.ts";
import { tagOf } from "./image.ts";
import { operator } from "./setup.ts";

const { clusterRoleBindings, deployments, secrets } = builtIn;

/** What the cluster held before. */
export interface Found {
  readonly operator: AnyObject | undefined;
  readonly kymas: readonly Kyma[];
  readonly releases: readonly ModuleReleaseMeta[];
  readonly cluster: ClusterFacts;
  /** Modules may install whatever they bring. */
  readonly wildcard: boolean;
  /** Channel of the Kyma that is asked for, where it is there. */
  readonly channel: string | undefined;
}

/** Reads what is there; nothing where the kinds are unknown yet. */
export async function readFound(
  client: Client,
  { namespace, kymaName }: { readonly namespace: string; readonly kymaName: string },
  signal: AbortSignal,
): Promise<Found> {
  const [deployment, allKymas, releases, cluster, binding] = await Promise.all([
    optional(client.get({ resource: deployments, namespace, name: operator.name }, { signal })),
    unlessUnknown(client.list<Kyma>(kymas, { signal })),
    readReleases(client, namespace, signal),
    discoverCluster(client, signal),
    unlessHidden(optional(client.get({ resource: clusterRoleBindings, name: wildcard.binding }, { signal }))),
  ]);
  const found = allKymas?.items ?? [];
  const own = found.find(({ metadata }) => metadata.namespace === namespace && metadata.name === kymaName);
  return {
    operator: deployment,
    kymas: found,
    releases,
    cluster,
    wildcard: binding !== undefined,
    channel: own?.spec.channel,
  };
}

/**
 * True for a runtime that somebody else's control plane manages: a Kyma whose status lifecycle-manager writes, on a
 * cluster that does not run an operator of ours.
 */
export function isManaged({ operator: own, kymas: found }: Pick<Found, "operator" | "kymas">): boolean {
  if (own !== undefined) return false;
  return found.some(({ metadata }) => {
    const entries = (metadata as AnyObject["metadata"]).managedFields ?? [];
    const managers = new Set(
      entries.filter(({ subresource }) => subresource === "status").map((entry) => entry.manager),
    );
    return managers.has("lifecycle-manager") && !managers.has("unmanaged-kyma");
  });
}

const managedText = "this cluster is a managed runtime, whose control plane would undo the deployment";

/**
 * Refuses what would harm what is there, unless forced; asks where somebody can answer. Throws `DEPLOY_DOWNGRADE`, or
 * ends with the usage code.
 */
export async function checkFound(
  io: Io,
  found: Found,
  { wanted, force }: { readonly wanted: string | undefined; readonly force: boolean },
): Promise<void> {
  if (force) return;
  if (isManaged(found) && (await io.confirm(`${managedText}. Go on?`)) !== true) {
    throw new ExitCode(exitCodes.refused, `${managedText}: go on with --force`);
  }
  const installed = imageVersion(found.operator);
  if (installed === undefined || wanted === undefined || compare(wanted, installed) >= 0) return;
  throw deployErrors.DOWNGRADE({ installed, wanted });
}

/** Checks that the operator finds its registry. Throws `DEPLOY_NO_REGISTRY_SECRET`. */
export async function checkRegistrySecret(
  client: Client,
  { namespace, registrySecret: name }: { readonly namespace: string; readonly registrySecret?: string },
  signal: AbortSignal,
): Promise<void> {
  if (name === undefined) return;
  const found = await optional(client.get({ resource: secrets, namespace, name }, { signal }));
  if (found === undefined) throw deployErrors.NO_REGISTRY_SECRET({ namespace, name });
}

/** Modules may install whatever they bring on local clusters; elsewhere somebody has to say so. */
export async function wildcardPermissions(
  io: Io,
  { cluster, operator: installed, wildcard: granted }: Found,
  flag: boolean | undefined,
): Promise<boolean> {
  if (flag !== undefined) return flag;
  if (isLocal(cluster)) return true;
  if (installed !== undefined) return granted; // it was asked before
  return (await io.confirm("Let modules install whatever they bring, with all rights on this cluster?")) ?? false;
}

interface WithContainers {
  readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly { image?: string }[] } } };
}

/** The semantic version in the tag of the operator's image; undefined for tags that are none. */
export function imageVersion(deployment: AnyObject | undefined): string | undefined {
  return parse(tagOf(imageOf(deployment)))?.version;
}

/** The image of a Deployment's first container; empty where there is none. */
export function imageOf(deployment: AnyObject | undefined): string {
  return (deployment as WithContainers | undefined)?.spec?.template?.spec?.containers?.[0]?.image ?? "";
}
