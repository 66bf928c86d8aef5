import { type AnyObject, type Client, optional, type Resource } from "@kyma-operators/kube";
import { kymas } from "../../apis/operator/group.ts";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { ExitCode, exitCodes } from "../command.ts";
import { readReleases } from "../module/releases.ts";
import { deployments, resourceOf, unlessUnknown } from "./cluster-kinds.ts";
import { deployErrors } from "./errors.ts";
import { operator } from "./setup.ts";

const reviews: Resource = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
};

/** What server-side apply and the comparison before it need. */
const verbs = ["get", "create", "patch"];

/** Checks the rights on everything that would be written. Throws `DEPLOY_RIGHTS_MISSING` with each missing verb. */
export async function checkRights(client: Client, objects: readonly AnyObject[], signal: AbortSignal): Promise<void> {
  const targets = new Map<string, { resource: Resource; namespace: string }>();
  for (const object of objects) {
    const resource = await resourceOf(client, object);
    const namespace = resource.namespaced ? (object.metadata.namespace ?? "") : "";
    targets.set(`${resource.plural}.${resource.group}/${namespace}`, { resource, namespace });
  }
  const asked = [...targets.values()].map(async ({ resource, namespace }) => {
    const refused = await Promise.all(
      verbs.map(async (verb) => ((await isAllowed(client, { resource, namespace, verb }, signal)) ? [] : [verb])),
    );
    return { resource, namespace, missing: refused.flat() };
  });
  const missing = (await Promise.all(asked)).filter((target) => target.missing.length > 0);
  if (missing.length > 0) throw deployErrors.RIGHTS_MISSING({ missing: missing.map(rightText) });
}

function rightText(target: { resource: Resource; namespace: string; missing: readonly string[] }): string {
  const { plural, group } = target.resource;
  const where = target.namespace === "" ? "" : ` in namespace ${target.namespace}`;
  return `${target.missing.join(", ")} on ${plural}${group === "" ? "" : `.${group}`}${where}`;
}

async function isAllowed(
  client: Client,
  { resource, namespace, verb }: { resource: Resource; namespace: string; verb: string },
  signal: AbortSignal,
): Promise<boolean> {
  const resourceAttributes = { group: resource.group, resource: resource.plural, namespace, verb };
  const review: AnyObject = {
    apiVersion: "authorization.k8s.io/v1",
    kind: reviews.kind,
    metadata: {},
    spec: { resourceAttributes },
  };
  const { status } = await client.create(reviews, review, { signal });
  return (status as { allowed?: boolean } | undefined)?.allowed === true;
}

/** What the cluster held before. */
export interface Found {
  readonly operator: AnyObject | undefined;
  readonly kymas: readonly Kyma[];
  readonly releases: readonly ModuleReleaseMeta[];
}

/** Reads what is there; nothing where the kinds are unknown yet. */
export async function readFound(client: Client, namespace: string, signal: AbortSignal): Promise<Found> {
  const [deployment, allKymas, releases] = await Promise.all([
    optional(client.get({ resource: deployments, namespace, name: operator.name }, { signal })),
    unlessUnknown(client.list<Kyma>(kymas, { signal })),
    readReleases(client, namespace, signal),
  ]);
  return { operator: deployment, kymas: allKymas?.items ?? [], releases };
}

/**
 * True for a runtime that somebody else's control plane manages: a Kyma whose status lifecycle-manager writes, on a
 * cluster that does not run an operator of ours.
 */
export function isManaged({ operator: own, kymas: found }: Found): boolean {
  if (own !== undefined) return false;
  return found.some(({ metadata }) => {
    const entries = (metadata as AnyObject["metadata"]).managedFields ?? [];
    const managers = new Set(
      entries.filter(({ subresource }) => subresource === "status").map((entry) => entry.manager),
    );
    return managers.has("lifecycle-manager") && !managers.has("unmanaged-kyma");
  });
}

/** Refuses what would harm what is there. Throws `DEPLOY_DOWNGRADE`, or ends with the usage code. */
export function checkFound(found: Found, wanted: string, force: boolean): void {
  if (force) return;
  if (isManaged(found)) {
    throw new ExitCode(
      exitCodes.refused,
      "this cluster is a managed runtime, whose control plane would undo the deployment: go on with --force",
    );
  }
  const installed = imageVersion(found.operator);
  if (installed !== undefined && isOlder(wanted, installed)) throw deployErrors.DOWNGRADE({ installed, wanted });
}

interface WithContainers {
  readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly { image?: string }[] } } };
}

/** The semantic version in the tag of the operator's image; undefined for tags that are none. */
export function imageVersion(deployment: AnyObject | undefined): string | undefined {
  const image = (deployment as WithContainers | undefined)?.spec?.template?.spec?.containers?.[0]?.image ?? "";
  return /:v?(\d+\.\d+\.\d+)[^/:]*$/.exec(image)?.[1];
}

function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => text.split(".").map(Number));
  const at = left?.findIndex((number, index) => number !== right?.[index]) ?? -1;
  return at >= 0 && (left?.[at] ?? 0) < (right?.[at] ?? 0);
}
