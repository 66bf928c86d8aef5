import type { AnyObject, Client, Resource } from "@kyma-operators/kube";
import { resourceOf } from "./cluster-kinds.ts";
import { rightsErrors } from "./rights-errors.ts";

const reviews: Resource = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
};

/**
 * Checks that the user may do something with every one of these objects, before the first of them is touched. Throws
 * `RIGHTS_MISSING` with each missing verb.
 */
export async function checkRights(
  client: Client,
  objects: readonly AnyObject[],
  { verbs, signal }: { readonly verbs: readonly string[]; readonly signal: AbortSignal },
): Promise<void> {
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
  if (missing.length > 0) throw rightsErrors.MISSING({ missing: missing.map(rightText) });
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
