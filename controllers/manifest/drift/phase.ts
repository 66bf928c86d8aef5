import type { AnyObject } from "@kyma-operators/kube";
import { parallelRequests, resourceOf } from "../apply/remote.ts";
import { describeRef, identityOf, refOf, type SyncedRef, versionedIdOf } from "../inventory/identity.ts";
import { inventoryOf } from "../inventory/inventory.ts";
import { inParallel } from "../parallel.ts";
import { clusterOf, next, type Pass, type Step, syncedOf } from "../pass.ts";
import { takesTime } from "../readiness/readiness.ts";
import { isAppliedByOthers, otherOwnerOf } from "../sharing/ownership.ts";
import { withExtraCondition } from "../status.ts";
import type { LiveLists } from "./live-lists.ts";
import { otherManagers, ownedDigest } from "./owned-fields.ts";

/** One object that is not as we left it. */
export interface Drift {
  readonly ref: SyncedRef;
  /** `missing`: somebody deleted it; `left`: by another Manifest that had it too; otherwise the managers that wrote to it. */
  readonly by: readonly string[] | "missing" | "left";
}

/** What one comparison may use. */
export interface Check {
  readonly lists: LiveLists;
  /** Lists that were started earlier are too old for it. */
  readonly notBeforeMs: number;
}

/**
 * Compares the cluster with the inventory by one labelled list per kind. Only metadata is asked for, except for kinds
 * whose status tells whether the module works.
 */
export async function detectDrift(pass: Pass, check: Check): Promise<readonly Drift[]> {
  const kinds = Map.groupBy(syncedOf(pass), (ref) => `${ref.group}/${ref.version}/${ref.kind}`);
  const lists = await inParallel([...kinds.values()], parallelRequests, (refs) => compareKind(pass, refs, check));
  return lists.flat();
}

/** Keeps what drifted for the apply phase. */
export function adoptDrift(pass: Pass, drifts: readonly Drift[]): Step {
  pass.drifted = new Set(drifts.map(({ ref }) => identityOf(ref)));
  pass.tally.repaired = drifts.filter(({ by }) => by !== "left").map(({ ref }) => describeRef(ref));
  for (const { ref, by } of drifts) {
    pass.ctx.log.info({ object: describeRef(ref), by }, "an object of the module was changed by somebody else");
  }
  return next;
}

/** Condition that names who rewrites the same objects again and again; present only while that goes on. */
export const fightCondition = "Drift";

/** The status with, or without drifts, the report of a fight over fields. */
export function withFight(pass: Pass, drifts: readonly Drift[]): Pass["status"] {
  const [first] = drifts;
  if (first === undefined) return withExtraCondition(pass.status, fightCondition, undefined, pass.now);
  const by =
    typeof first.by === "string" ? "is deleted by somebody" : `is changed by ${first.by.join(", ") || "somebody"}`;
  const rest = drifts.length > 1 ? ` (and ${drifts.length - 1} more)` : "";
  const message = `${describeRef(first.ref)} ${by} again and again${rest}; it is restored less and less often`;
  return withExtraCondition(pass.status, fightCondition, { status: "True", reason: "FieldFight", message }, pass.now);
}

async function compareKind(pass: Pass, refs: readonly SyncedRef[], check: Check): Promise<readonly Drift[]> {
  const live = await listLive(pass, refs, check);
  const recorded = new Map((inventoryOf(pass.status).objects ?? []).map((entry) => [entry.id, entry.owned]));
  return refs.flatMap((ref): readonly Drift[] => {
    const object = live.get(identityOf(ref));
    if (object === undefined) return [{ ref, by: "missing" }];
    if (takesTime(ref)) pass.live.set(identityOf(ref), object);
    if (otherOwnerOf(object, pass.manifest) !== undefined)
      return isAppliedByOthers(pass, ref, object) ? [] : [{ ref, by: "left" }];
    const owned = recorded.get(versionedIdOf(ref));
    const same = owned === undefined || owned === ownedDigest(object);
    const managers = otherManagers(object);
    // Where nobody but us has written, another Manifest did.
    return same ? [] : [{ ref, by: managers.length === 0 ? "left" : managers }];
  });
}

async function listLive(pass: Pass, refs: readonly SyncedRef[], check: Check): Promise<ReadonlyMap<string, AnyObject>> {
  const [first] = refs;
  const cluster = clusterOf(pass);
  const resource = first === undefined ? undefined : await resourceOf(cluster.client, first, pass.ctx.signal);
  if (first === undefined || resource === undefined) return new Map();
  const { lists, notBeforeMs } = check;
  const request = { notBeforeMs, nowMs: pass.ctx.now, full: takesTime(first) };
  const namespaces = cluster.restricted && resource.namespaced ? namespacesOf(refs) : [undefined];
  const found = await inParallel(namespaces, parallelRequests, (namespace) =>
    lists.get(cluster, resource, { ...request, namespace }),
  );
  // Metadata-only lists carry their own kind.
  return new Map(
    found
      .flat()
      .map((item) => [identityOf(refOf({ ...item, apiVersion: apiVersionFor(first), kind: first.kind })), item]),
  );
}

function namespacesOf(refs: readonly SyncedRef[]): readonly string[] {
  return [...new Set(refs.map(({ namespace }) => namespace))];
}

function apiVersionFor({ group, version }: SyncedRef): string {
  return group === "" ? version : `${group}/${version}`;
}
