import { type AnyObject, builtIn, type Client, type ObjectList, type Resource } from "@kyma-operators/kube";
import { gardenerClusterResource, runtimeResource } from "../apis/infrastructure/names.ts";
import { kymas, manifests } from "../apis/operator/group.ts";
import { labels } from "../apis/operator/labels.ts";
import { names } from "../apis/operator/names.ts";
import type { Observed } from "../apis/progress.ts";
import type { Warning } from "./progress.ts";

const { events, secrets } = builtIn;
/** In the order in which things happen. */
const kinds: readonly Resource[] = [runtimeResource, gardenerClusterResource, kymas, manifests];

/** Our objects on the control plane, and the warnings about them. */
export async function observe(client: Client): Promise<{ objects: readonly Observed[]; warnings: readonly Warning[] }> {
  const lists = await Promise.all(kinds.map(async (kind) => client.list<Observed & AnyObject>(kind)));
  const noted: ObjectList<EventObject> = await client.list<EventObject>(events);
  return { objects: lists.flatMap(({ items }) => items), warnings: noted.items.flatMap(warningOf) };
}

interface EventObject extends AnyObject {
  readonly type?: string;
  readonly note?: string;
  readonly eventTime?: string;
  readonly regarding?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
}

function warningOf({ type, note = "", eventTime = "", regarding = {} }: EventObject): readonly Warning[] {
  if (type !== "Warning") return [];
  const { kind = "", namespace = "", name = "" } = regarding;
  return [{ kind, namespace, name, note, time: eventTime }];
}

/** Kubeconfigs of the runtimes, by the name of their Kyma, as the operator keeps them in its Secrets. */
export async function runtimeKubeconfigs(client: Client, namespace: string): Promise<ReadonlyMap<string, string>> {
  const { items } = await client.list(secrets, { namespace, labelSelector: labels.kymaName });
  const entries = items.flatMap((secret) => {
    const encoded = (secret["data"] as Record<string, string> | undefined)?.[names.accessSecretKey];
    const kyma = secret.metadata.labels?.[labels.kymaName];
    return encoded === undefined || kyma === undefined
      ? []
      : [[kyma, Buffer.from(encoded, "base64").toString("utf8")] as const];
  });
  return new Map(entries);
}
