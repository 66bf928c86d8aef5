import type { AnyObject, Client, Resource } from "@kyma-operators/kube";
import { labels, labelValues } from "../../../apis/operator/labels.ts";
import type { Cluster } from "../pass.ts";

/** A list this old is still fresh for a check that nothing asked for. */
export const sharedListMs = 30_000;

interface ListRequest {
  readonly notBeforeMs: number;
  readonly nowMs: number;
  readonly full: boolean;
  readonly namespace: string | undefined;
}

interface Entry {
  readonly startedMs: number;
  readonly items: Promise<readonly AnyObject[]>;
}

/**
 * Lists of everything of Kyma's on a cluster, one per kind. The Manifests of a Kyma are checked together, so they share
 * them: a check costs one request per kind, not per Manifest.
 */
export class LiveLists {
  readonly #entries = new Map<string, Entry>();

  /**
   * @param notBeforeMs - a list that was started earlier can't show what this check is about.
   * @param full - whether whole objects are needed, or metadata only.
   * @param namespace - the only namespace to look into; absent: all.
   */
  get(
    cluster: Cluster,
    resource: Resource,
    { notBeforeMs, nowMs, full, namespace }: ListRequest,
  ): Promise<readonly AnyObject[]> {
    this.#forgetOld(nowMs);
    const key = `${cluster.id}#${resource.group}/${resource.version}/${resource.plural}#${namespace ?? ""}`;
    const known = this.#entries.get(key);
    if (known !== undefined && known.startedMs >= notBeforeMs) return known.items;
    const entry = { startedMs: nowMs, items: listAll(cluster.client, resource, { full, namespace }) };
    this.#entries.set(key, entry);
    entry.items.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.items;
  }

  /** Lists are large: they are dropped as soon as nobody may use them any more. */
  #forgetOld(nowMs: number): void {
    for (const [key, { startedMs }] of this.#entries) {
      if (startedMs >= nowMs - sharedListMs) return;
      this.#entries.delete(key);
    }
  }
}

/** Several passes wait for the answer, so no single pass may cancel it; the client has its own deadline. */
async function listAll(
  client: Client,
  resource: Resource,
  { full, namespace }: Pick<ListRequest, "full" | "namespace">,
): Promise<readonly AnyObject[]> {
  const labelSelector = `${labels.managedBy}=${labelValues.managedByRemote}`;
  const where = namespace === undefined ? {} : { namespace };
  return (await client.list(resource, { ...where, labelSelector, metadataOnly: !full })).items;
}
