import type { AnyObject } from "@kyma-operators/kube";
import { digestOf } from "./digest.ts";
import { identityOf, refOf, type SyncedRef, versionedIdOf } from "./identity.ts";
import { inWaves, isOperatorRelated } from "./order.ts";

/** One object as it should be, with what identifies it and its content. */
export interface Rendered {
  readonly ref: SyncedRef;
  readonly object: AnyObject;
  /** Digest of the object after all transforms. */
  readonly digest: string;
}

/** What `status.inventory` remembers of one applied object beyond its reference. */
export interface Recorded {
  /** {@link versionedIdOf} of the reference. */
  readonly id: string;
  /** Digest of the object as it was last applied. */
  readonly digest: string;
  /** Digest of the fields that the API server says are ours; other managers' edits change it. */
  readonly owned?: string;
}

/** The writes that turn what a cluster holds into what it should hold. */
export interface Plan {
  /** Waves of objects to apply; a wave needs the ones before it. */
  readonly apply: readonly (readonly Rendered[])[];
  /** Objects to delete first: nothing that an operator needs. */
  readonly pruneFirst: readonly SyncedRef[];
  /** Objects to delete once the first are gone: the operator and what it runs on. */
  readonly pruneLast: readonly SyncedRef[];
}

/** Wraps an object with its reference and digest. */
export function renderedOf(object: AnyObject): Rendered {
  return { ref: refOf(object), object, digest: digestOf(object) };
}

/**
 * Compares what should be there with what the status says was applied.
 *
 * An object whose digest is on record and whose identity is not in `drifted` is left out, so a Manifest that is up to
 * date yields an empty plan and costs no request.
 *
 * @param drifted - identities ({@link identityOf}) whose live object is known to differ.
 */
export function planWrites(
  rendered: readonly Rendered[],
  synced: readonly SyncedRef[],
  recorded: readonly Recorded[],
  drifted: ReadonlySet<string> = new Set(),
): Plan {
  const digests = new Map(recorded.map((entry) => [entry.id, entry.digest]));
  const stale = rendered.filter(
    ({ ref, digest }) => digests.get(versionedIdOf(ref)) !== digest || drifted.has(identityOf(ref)),
  );
  return {
    apply: inWaves(stale),
    ...planPrune(
      rendered.map(({ ref }) => ref),
      synced,
    ),
  };
}

/**
 * What is on record but no longer wanted, in the two groups in which it is deleted.
 *
 * The Namespace `kyma-system` is never in it: it belongs to the runtime, whoever lists it.
 */
export function planPrune(
  wanted: readonly SyncedRef[],
  synced: readonly SyncedRef[],
): Pick<Plan, "pruneFirst" | "pruneLast"> {
  return inDeletionGroups(removedRefs(wanted, synced).filter((ref) => !isProtected(ref)));
}

/** What `synced` names and `wanted` does not; the same object in another API version counts as wanted. */
export function removedRefs(wanted: readonly SyncedRef[], synced: readonly SyncedRef[]): readonly SyncedRef[] {
  const keep = new Set(wanted.map(identityOf));
  return synced.filter((ref) => !keep.has(identityOf(ref)));
}

/** Splits what is to be deleted into what goes first and what an operator needs until the rest is gone. */
export function inDeletionGroups(refs: readonly SyncedRef[]): Pick<Plan, "pruneFirst" | "pruneLast"> {
  return {
    pruneFirst: refs.filter((ref) => !isOperatorRelated(ref.kind)),
    pruneLast: refs.filter((ref) => isOperatorRelated(ref.kind)),
  };
}

/** Objects that no module may take away. */
export function isProtected(ref: SyncedRef): boolean {
  return ref.group === "" && ref.kind === "Namespace" && ref.name === "kyma-system";
}

/** True when a plan asks for nothing. */
export function isEmptyPlan(plan: Plan): boolean {
  return plan.apply.length === 0 && plan.pruneFirst.length === 0 && plan.pruneLast.length === 0;
}

/** True when the two lists name different sets of objects; order and repetition do not count. */
export function hasSyncedDiff(before: readonly SyncedRef[], after: readonly SyncedRef[]): boolean {
  const [old, next] = [new Set(before.map(versionedIdOf)), new Set(after.map(versionedIdOf))];
  return old.size !== next.size || [...old].some((id) => !next.has(id));
}

/** `before` plus what `added` names that is not in it yet: the record of an intention. */
export function unionOfRefs(before: readonly SyncedRef[], added: readonly SyncedRef[]): readonly SyncedRef[] {
  const known = new Set(before.map(versionedIdOf));
  const fresh = added.filter((ref) => !known.has(versionedIdOf(ref)));
  return fresh.length === 0 ? before : [...before, ...fresh];
}
