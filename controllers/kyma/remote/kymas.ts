import { hasCode } from "@kyma-operators/errors";
import { type CallOptions, optional } from "@kyma-operators/kube";
import { canonicalJson, jsonEqual } from "@kyma-operators/runtime";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { apiVersion, kymas } from "../../../apis/operator/group.ts";
import type { Kyma, KymaStatus } from "../../../apis/operator/kyma.ts";
import { names } from "../../../apis/operator/names.ts";
import { hasMarks, newRemoteKyma, remoteMarks, remoteStatus } from "../../../modules/remote-kyma.ts";
import { remoteKymaProblem } from "../../../modules/remote-kyma-input.ts";
import { kymaErrors } from "../errors.ts";
import type { RemoteCluster } from "../options.ts";
import type { SeenKyma } from "./views.ts";

/** What a look at the remote Kyma found. */
export interface FoundKyma {
  readonly seen: SeenKyma;
  readonly created: boolean;
}

/** The remote Kyma, created with the modules of the control plane where the user has none. */
export async function findOrCreate(
  { client }: RemoteCluster,
  kyma: Kyma,
  namespace: string,
  call: CallOptions,
): Promise<FoundKyma> {
  const ref = { resource: kymas, namespace, name: names.remoteKyma };
  const found = await optional(client.get<Kyma>(ref, call));
  if (found !== undefined) return { seen: seenOf(checked(found, namespace)), created: false };
  const options = { fieldManager: fieldManagers.lifecycleManager, ...call };
  const made = await client.create<Kyma>(kymas, newRemoteKyma(kyma, namespace), options);
  return { seen: seenOf(made), created: true };
}

/**
 * Brings our marks and the status to the remote Kyma; sends nothing when they are there already. Where the user was
 * faster, it is read again and both are tried once more on what it is now. Throws `KYMA_METADATA_SYNC` where it is the
 * marks that fail.
 */
export async function show(
  cluster: RemoteCluster,
  kyma: Kyma,
  seen: SeenKyma,
  { status, call }: { readonly status: KymaStatus; readonly call: CallOptions },
): Promise<SeenKyma> {
  const marking = async (of: SeenKyma): Promise<SeenKyma> => mark(cluster, kyma, of, call);
  const marked = await onNewest(cluster, seen, marking, call).catch((error: unknown) => {
    throw kymaErrors.METADATA_SYNC({}, error);
  });
  return onNewest(cluster, marked, async (of) => writeStatus(cluster, await marking(of), status, call), call);
}

/** The result of some work on the remote Kyma, which is read again where somebody was faster. */
async function onNewest(
  { client }: RemoteCluster,
  seen: SeenKyma,
  work: (seen: SeenKyma) => Promise<SeenKyma>,
  call: CallOptions,
): Promise<SeenKyma> {
  try {
    return await work(seen);
  } catch (error) {
    if (!hasCode(error, "KUBE_CONFLICT")) throw error;
    const { name = "", namespace = "" } = seen.metadata;
    const found = await client.get<Kyma>({ resource: kymas, namespace, name }, call);
    return work(seenOf(checked(found, namespace)));
  }
}

/** The same object. Throws `KYMA_REMOTE_INVALID` for what is no Kyma. */
function checked(found: Kyma, namespace: string): Kyma {
  const problem = remoteKymaProblem(found);
  if (problem === undefined) return found;
  throw kymaErrors.REMOTE_INVALID({ namespace, problem });
}

/** Puts our labels and annotations on the remote Kyma; all others are left to their owners. */
async function mark({ client }: RemoteCluster, kyma: Kyma, seen: SeenKyma, call: CallOptions): Promise<SeenKyma> {
  const marks = remoteMarks(kyma);
  if (hasMarks(seen.metadata, marks)) return seen;
  const { name = "", namespace = "" } = seen.metadata;
  const marked = { apiVersion, kind: "Kyma", metadata: { name, namespace, ...marks } } as Kyma;
  const options = { fieldManager: fieldManagers.kymaSyncContext, force: true, ...call };
  return seenOf(await client.apply<Kyma>(kymas, marked, options));
}

/** Shows the status on the remote cluster; sends nothing when it is there already. */
export async function writeStatus(
  { client }: RemoteCluster,
  seen: SeenKyma,
  status: KymaStatus,
  call: CallOptions,
): Promise<SeenKyma> {
  if (seen.shown !== undefined && jsonEqual(seen.shown, status)) return seen;
  const { name = "", namespace = "", resourceVersion = "" } = seen.metadata;
  const shown = remoteStatus(status, namespace);
  if (canonicalJson(shown) === seen.statusText) return { ...seen, shown: status };
  const metadata = { name, namespace, resourceVersion };
  const object: Kyma = { apiVersion, kind: "Kyma", metadata, spec: seen.spec, status: shown };
  const options = { subresource: "status", fieldManager: fieldManagers.lifecycleManager, ...call };
  return seenOf(await client.update<Kyma>(kymas, object, options));
}

/** Deletes the remote Kyma; answers whether it was there, and whose finalizers keep it. */
export async function remove(
  { client }: RemoteCluster,
  namespace: string,
  call: CallOptions,
): Promise<{ readonly found: boolean; readonly finalizers: readonly string[] }> {
  const ref = { resource: kymas, namespace, name: names.remoteKyma };
  const found = await lookup({ client }, namespace, call);
  if (found === undefined) return { found: false, finalizers: [] };
  if (found.metadata.deletionTimestamp === undefined) await client.delete(ref, call);
  return { found: true, finalizers: found.metadata.finalizers ?? [] };
}

/** The remote Kyma; undefined also when its kind is not served (any more). */
export async function lookup(
  { client }: Pick<RemoteCluster, "client">,
  namespace: string,
  call: CallOptions,
): Promise<Kyma | undefined> {
  try {
    return await client.get<Kyma>({ resource: kymas, namespace, name: names.remoteKyma }, call);
  } catch (error) {
    if (hasCode(error, "KUBE_NOT_FOUND") || hasCode(error, "KUBE_NO_MATCH")) return undefined;
    throw error;
  }
}

export function seenOf({ metadata, spec, status }: Kyma): SeenKyma {
  const { name, namespace, uid, resourceVersion, labels, annotations, deletionTimestamp, finalizers } = metadata;
  const kept = { name, namespace, uid, resourceVersion, labels, annotations, deletionTimestamp, finalizers };
  return { metadata: withoutUndefined(kept), spec, statusText: canonicalJson(status ?? {}) };
}

function withoutUndefined(metadata: object): Kyma["metadata"] {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined));
}
