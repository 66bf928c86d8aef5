import { deleteLive, observe } from "../apply/remote.ts";
import { manifestErrors } from "../errors.ts";
import { digestOf } from "../inventory/digest.ts";
import { describeRef, refOf, type SyncedRef, versionedIdOf } from "../inventory/identity.ts";
import { inventoryOf, withInventory } from "../inventory/inventory.ts";
import { clusterOf, next, type Pass, type Step, wait } from "../pass.ts";
import type { Hook, HookPhase } from "../render/rendering.ts";
import type { ManifestStore } from "../store.ts";
import { deleteRun, runOnce } from "./runs.ts";

const pollMs = 1_000;

/** When hooks run, as the phases of a pass know it. */
export type HookMoment = "before" | "after" | "before-delete" | "after-delete";

/**
 * Runs the hooks of a moment one after the other, by weight. Each runs once per content: what has run to its end is on
 * record, so a crash or a second pass does not repeat it.
 */
export async function runHooks(pass: Pass, moment: HookMoment, store: ManifestStore): Promise<Step> {
  // What is installed already is only repaired, or rendered again because the cluster serves other kinds.
  const isDone = inventoryOf(pass.status).fingerprint === pass.fingerprint;
  if (isDone && (moment === "before" || moment === "after")) return next;
  const phase = phaseOf(pass, moment);
  for (const hook of hooksFor(pass.hooks, phase)) {
    const step = await runHook(pass, hook, { phase, store });
    if (step.kind !== "next") return step;
  }
  return next;
}

/** Hooks of a phase in the order in which they run: by weight, then by name. */
export function hooksFor(hooks: readonly Hook[], phase: HookPhase): readonly Hook[] {
  return hooks
    .filter(({ phases }) => phases.includes(phase))
    .toSorted((a, b) => a.weight - b.weight || nameOf(a).localeCompare(nameOf(b)));
}

/** Entry of the inventory that says: this module has hooks for its deletion, so its source is needed once more. */
const deletionMark = "on-delete:";

/** The status with the mark, or without it. */
export function markDeletionHooks(pass: Pass): Pass["status"] {
  const hooks = (inventoryOf(pass.status).hooks ?? []).filter(({ id }) => id !== deletionMark);
  const needed = pass.hooks.some(({ phases }) => phases.includes("pre-delete") || phases.includes("post-delete"));
  if (!needed && hooks.length === 0) return withInventory(pass.status, { hooks: undefined });
  return withInventory(pass.status, { hooks: needed ? [...hooks, { id: deletionMark, digest: "" }] : hooks });
}

/** Whether the module has hooks that run when it is deleted. */
export function hasDeletionHooks(pass: Pass): boolean {
  return inventoryOf(pass.status).hooks?.some(({ id }) => id === deletionMark) === true;
}

/** Deletes the objects that hooks have left behind. */
export async function deleteLeftovers(pass: Pass): Promise<Step> {
  const { client } = clusterOf(pass);
  const ids = (inventoryOf(pass.status).hooks ?? []).filter(({ id }) => id !== deletionMark);
  const refs = new Map(ids.map(({ id }) => [id.slice(id.indexOf(":") + 1), refFromId(id.slice(id.indexOf(":") + 1))]));
  for (const ref of refs.values()) {
    const live = await observe(client, ref, pass.ctx.signal);
    if (live !== undefined) await deleteLive(client, live, pass.ctx.signal);
  }
  return next;
}

function phaseOf(pass: Pass, moment: HookMoment): HookPhase {
  if (moment === "before-delete") return "pre-delete";
  if (moment === "after-delete") return "post-delete";
  const isUpgrade = inventoryOf(pass.observed.status ?? pass.status).source !== undefined;
  const order = moment === "before" ? "pre" : "post";
  return isUpgrade ? `${order}-upgrade` : `${order}-install`;
}

interface Run {
  readonly phase: HookPhase;
  readonly store: ManifestStore;
}

async function runHook(pass: Pass, hook: Hook, { phase, store }: Run): Promise<Step> {
  const id = `${phase}:${versionedIdOf(refOf(hook.object))}`;
  const digest = digestOf([hook.object, pass.sourceKey]);
  const recorded = inventoryOf(pass.status).hooks ?? [];
  if (recorded.some((entry) => entry.id === id && entry.digest === digest)) return next;

  const { client } = clusterOf(pass);
  const { signal } = pass.ctx;
  const result = await runOnce(client, hook.object, `${phase}-${digest}`, signal);
  if (result.state === "running") return wait("manifest_hook", pollMs);
  if (result.state === "failed") {
    if (hook.deletion.includes("hook-failed")) await deleteRun(client, hook.object, signal);
    throw manifestErrors.HOOK_FAILED({ hook: describeRef(refOf(hook.object)), phase, problem: result.why });
  }
  const rest = recorded.filter((entry) => entry.id !== id);
  pass.status = withInventory(pass.status, { hooks: [...rest, { id, digest }] });
  // On record at once: a hook that deletes data must not run again because a later step failed.
  pass.manifest = await store.patchStatus(pass.manifest, pass.status, signal);
  if (hook.deletion.includes("hook-succeeded")) await deleteRun(client, hook.object, signal);
  return next;
}

function nameOf({ object }: Hook): string {
  return `${object.kind}/${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
}

/** The opposite of `versionedIdOf`. */
function refFromId(id: string): SyncedRef {
  const [namespace = "", name = "", group = "", version = "", kind = ""] = id.split("/");
  return { namespace, name, group, version, kind };
}
