import { hasCode, textOf } from "@kyma-operators/errors";
import { type AnyObject, builtIn } from "@kyma-operators/kube";
import { forEachBounded } from "../../modules/bounded.ts";
import { nameOfObject, resourceOf } from "../cluster-kinds.ts";
import { pollUntil, type World } from "../poll.ts";
import type { Say } from "../progress/steps.ts";
import { deployErrors } from "./errors.ts";
import type { Journal } from "./journal.ts";
import { wavesOf } from "./objects.ts";

const { customResourceDefinitions: crds } = builtIn;

/** Owner of the fields that this program writes. */
export const fieldManager = "kyma-cli";

export interface WriteFlags {
  readonly forceConflicts?: boolean;
  /** Objects written at once. */
  readonly concurrency: number;
  /** Where writes are noted that may have to be taken back. */
  readonly journal?: Journal | undefined;
}

/**
 * Applies objects, those that others refer to first; what is as wanted stays untouched. Throws `DEPLOY_CONFLICT` when
 * somebody else holds a field.
 */
export async function applyAll(
  world: World,
  objects: readonly AnyObject[],
  flags: WriteFlags,
  say: Say,
): Promise<void> {
  for (const wave of wavesOf(objects)) {
    const [failure] = await forEachBounded(wave, flags.concurrency, (object) => applyOne(world, object, flags, say));
    if (failure !== undefined) throw failure.error;
  }
}

/** Applies one object. */
export async function applyOne(
  world: World,
  object: AnyObject,
  { forceConflicts: force = false, journal }: WriteFlags,
  say: Say,
): Promise<void> {
  const { client, io } = world;
  io.signal.throwIfAborted();
  const resource = await resourceOf(client, object);
  await journal?.note(world, resource, object);
  try {
    await client.apply(resource, object, { fieldManager, force, signal: io.signal });
    say.detail(`${nameOfObject(object)} applied`);
  } catch (error) {
    if (!hasCode(error, "KUBE_CONFLICT")) throw error;
    throw deployErrors.CONFLICT({ object: nameOfObject(object), reason: textOf(error) }, error);
  }
}

/** Waits until the API server serves every one of these CRDs. */
export async function awaitEstablished(
  world: World,
  wanted: readonly AnyObject[],
  say: (text: string) => void,
): Promise<void> {
  const names = wanted.map(({ metadata }) => metadata.name ?? "");
  const look = async (): Promise<string | undefined> => {
    const { items } = await world.client.list(crds, { signal: world.io.signal });
    const served = new Set(items.filter(isEstablished).map(({ metadata }) => metadata.name));
    const open = names.filter((name) => !served.has(name));
    return open.length === 0 ? undefined : `${open.length} CRD(s) are not established: ${open.join(", ")}`;
  };
  await pollUntil(world, look, say);
}

interface WithConditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function isEstablished(crd: AnyObject): boolean {
  const { status } = crd as WithConditions;
  return status?.conditions?.some(({ type, status: value }) => type === "Established" && value === "True") ?? false;
}
