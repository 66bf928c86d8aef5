import { hasCode, textOf } from "@kyma-operators/errors";
import { manifestErrors } from "../errors.ts";
import { describeRef, identityOf } from "../inventory/identity.ts";
import { inventoryOf, isKnown, withApplied, withIntent } from "../inventory/inventory.ts";
import { planWrites, type Rendered } from "../inventory/plan.ts";
import { show, valueAt } from "../json.ts";
import { clusterOf, next, type Pass, type Step, syncedOf, wait } from "../pass.ts";
import type { ManifestStore } from "../store.ts";
import { type Applied, applyAll, applyFailure, deleteLive, observe } from "./remote.ts";

/** On an object of a module: it may be deleted and created again when a change needs that. */
export const recreateLabel = "operator.kyma-project.io/recreate";

const crdWaitMs = 250;
const recreateWaitMs = 250;

/** Applies what is new, changed or drifted, wave by wave. Nothing to apply sends nothing. */
export async function applyWanted(pass: Pass, store: ManifestStore): Promise<Step> {
  const { apply } = planWrites(pass.wanted, syncedOf(pass), inventoryOf(pass.status).objects ?? [], pass.drifted);
  if (apply.length === 0) return next;

  await recordIntent(pass, store);
  const results: Applied[] = [];
  for (const wave of apply) results.push(...(await applyWave(pass, wave)));
  return concludeApply(pass, results);
}

/** The names are on record before the objects exist. */
async function recordIntent(pass: Pass, store: ManifestStore): Promise<void> {
  const intended = withIntent(pass.status, pass.wanted);
  if (intended === pass.status) return;
  pass.status = intended;
  pass.manifest = await store.patchStatus(pass.manifest, intended, pass.ctx.signal);
}

async function applyWave(pass: Pass, wave: readonly Rendered[]): Promise<readonly Applied[]> {
  const { status } = pass;
  const results = await applyAll(clusterOf(pass).client, wave, (item) => isKnown(status, item), pass.ctx.signal);
  const applied = results.flatMap((result) => ("object" in result ? [result] : []));
  for (const { item, object } of applied) pass.live.set(identityOf(item.ref), object);
  pass.status = withApplied(pass.status, applied);
  pass.tally.applied += applied.length;
  pass.takenOver.push(
    ...applied.flatMap(({ item, conflicts }) => conflicts.map((text) => `${describeRef(item.ref)} (${text})`)),
  );
  return results;
}

async function concludeApply(pass: Pass, results: readonly Applied[]): Promise<Step> {
  const kinds = kindsOfOwnCrds(pass.wanted);
  const failed = results.flatMap((result) => ("error" in result ? [result] : []));
  const early = failed.filter(({ item, error }) => hasCode(error, "KUBE_NO_MATCH") && kinds.has(kindOf(item)));
  const immutable = failed.filter(({ error }) => isImmutable(error));
  const recreated = await recreate(pass, immutable);

  const rest = results.filter((result) => !early.includes(result as never) && !recreated.includes(result as never));
  const failure = applyFailure(rest.map(explainImmutable));
  if (failure !== undefined) throw failure;
  if (recreated.length > 0) return wait("recreate", recreateWaitMs);
  return early.length > 0 ? wait("crd_established", crdWaitMs) : next;
}

type Failed = Extract<Applied, { readonly error: unknown }>;

/** Deletes what can't be changed in place and says that it may be replaced; the next pass applies it anew. */
async function recreate(pass: Pass, failed: readonly Failed[]): Promise<readonly Failed[]> {
  const allowed = failed.filter(({ item }) => item.object.metadata.labels?.[recreateLabel] === "true");
  const { client } = clusterOf(pass);
  for (const { item } of allowed) {
    const live = await observe(client, item.ref, pass.ctx.signal);
    if (live !== undefined) await deleteLive(client, live, pass.ctx.signal);
    pass.ctx.log.info({ object: describeRef(item.ref) }, "deleted to be created again: a field can't be changed");
  }
  return allowed;
}

function explainImmutable(result: Applied): Applied {
  if (!("error" in result) || !isImmutable(result.error)) return result;
  const detail = { object: describeRef(result.item.ref), problem: textOf(result.error) };
  return { item: result.item, error: manifestErrors.IMMUTABLE(detail, result.error) };
}

/** The API has no reason of its own for immutable fields; only the message says it. */
function isImmutable(error: unknown): boolean {
  return (
    hasCode(error, "KUBE_INVALID") &&
    /\bimmutable\b|may not change once set|updates to .* are forbidden/i.test(textOf(error))
  );
}

/** Kinds that the CRDs among the objects define, as `group/kind`. */
export function kindsOfOwnCrds(wanted: readonly Rendered[]): ReadonlySet<string> {
  const crds = wanted.filter(({ ref }) => ref.kind === "CustomResourceDefinition");
  return new Set(
    crds.map(
      ({ object }) => `${show(valueAt(object, "spec", "group"))}/${show(valueAt(object, "spec", "names", "kind"))}`,
    ),
  );
}

function kindOf({ ref }: Rendered): string {
  return `${ref.group}/${ref.kind}`;
}
