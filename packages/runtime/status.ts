import type { Client, KubeObject, Resource, WriteOptions } from "@kyma-operators/kube";
import { refTo } from "./keys.ts";
import { countUnchanged } from "./managed-client.ts";
import { mergePatchBetween } from "./merge-patch.ts";

interface WithStatus extends KubeObject {
  status?: unknown;
}

/**
 * Writes the difference between two statuses by one merge patch on the status subresource.
 *
 * Sends nothing and returns `observed` when they are equal. The patch carries no resource version: the status has one
 * writer, and a pass that started from an old read is corrected by the next one.
 */
export async function patchStatus<T extends WithStatus>(
  client: Client,
  resource: Resource,
  change: { readonly observed: T; readonly status: T["status"] },
  options: WriteOptions = {},
): Promise<T> {
  const { observed, status } = change;
  const patch = mergePatchBetween(observed.status ?? {}, status ?? {});
  if (patch === undefined) {
    countUnchanged(client, resource);
    return observed;
  }
  return client.mergePatch<T>(refTo(resource, observed), { status: patch }, { ...options, subresource: "status" });
}
