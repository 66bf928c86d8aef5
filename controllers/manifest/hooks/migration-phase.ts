import { hasCode } from "@kyma-operators/errors";
import type { Client } from "@kyma-operators/kube";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { locate } from "../apply/remote.ts";
import { manifestErrors } from "../errors.ts";
import { digestOf } from "../inventory/digest.ts";
import { refOf } from "../inventory/identity.ts";
import { inventoryOf, withInventory } from "../inventory/inventory.ts";
import { clusterOf, next, type Pass, type Step, wait } from "../pass.ts";
import type { ManifestStore } from "../store.ts";
import { type MigrationStep, stepsBetween } from "./migrations.ts";
import { deleteRun, runOnce } from "./runs.ts";

const pollMs = 1_000;

/**
 * Runs the steps between the installed version and the wanted one, those of one moment. Each is on record as soon as it
 * is done, so that a crash goes on with the next one.
 */
export async function runMigrations(pass: Pass, when: MigrationStep["when"], store: ManifestStore): Promise<Step> {
  const to = pass.manifest.spec.version;
  const { version: from } = inventoryOf(pass.status);
  if (to === undefined || from === to) return next;
  for (const step of stepsBetween(pass.migrations, from, to).filter((candidate) => candidate.when === when)) {
    const progress = progressOf(pass, to);
    if (progress.includes(step.name)) continue;
    const outcome = await runStep(pass, step, to);
    if (outcome.kind !== "next") return outcome;
    const migration = { ...(from === undefined ? {} : { from }), to, done: [...progress, step.name] };
    pass.status = withInventory(pass.status, { migration });
    pass.manifest = await store.patchStatus(pass.manifest, pass.status, pass.ctx.signal);
    pass.ctx.log.info({ step: step.name, from, to }, "a migration step is done");
  }
  return next;
}

/** The wanted version is installed: the next upgrade starts from it. */
export function concludeMigrations(pass: Pass): void {
  const { version } = pass.manifest.spec;
  pass.status = withInventory(pass.status, { version, migration: undefined });
}

/** Steps that are done on the way to a version; another version starts anew. */
function progressOf(pass: Pass, to: string): readonly string[] {
  const { migration } = inventoryOf(pass.status);
  return migration?.to === to ? (migration.done ?? []) : [];
}

async function runStep(pass: Pass, step: MigrationStep, to: string): Promise<Step> {
  const { client } = clusterOf(pass);
  const { signal } = pass.ctx;
  const { action } = step;
  if (action.kind === "patch") {
    await patchTarget(client, action, signal);
    return next;
  }
  const result = await runOnce(client, action.object, digestOf([step, to]), signal);
  if (result.state === "running") return wait("manifest_migration", pollMs);
  if (result.state === "failed") {
    throw manifestErrors.MIGRATION_FAILED({ step: step.name, to, problem: result.why });
  }
  await deleteRun(client, action.object, signal);
  return next;
}

/** A merge patch gives the same result when it is sent twice. An object that is not there needs no migration. */
async function patchTarget(
  client: Client,
  { target, patch }: Extract<MigrationStep["action"], { kind: "patch" }>,
  signal: AbortSignal,
): Promise<void> {
  const location = await locate(client, refOf(target), signal);
  if (location === undefined) return;
  try {
    await client.mergePatch(location, patch, { fieldManager: fieldManagers.manifestApplier, signal });
  } catch (error) {
    if (!hasCode(error, "KUBE_NOT_FOUND")) throw error;
  }
}
