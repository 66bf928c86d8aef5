import type { Client, ObjectKey } from "@kyma-operators/kube";
import {
  type Context,
  type EventRecorder,
  ensureFinalizer,
  type Outcome,
  removeFinalizer,
  type Store,
} from "@kyma-operators/runtime";
import { finalizers } from "../../apis/operator/finalizers.ts";
import { moduleReleaseMetas } from "../../apis/operator/group.ts";
import { labels } from "../../apis/operator/labels.ts";
import { isMandatory, type Manifest } from "../../apis/operator/manifest.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import type { ManifestWrite } from "../../modules/plan-modules.ts";
import { tellFailure } from "../../modules/warning-event.ts";
import { writeManifests } from "../../modules/write-manifests.ts";

const done: Outcome = { kind: "done" };

export interface DeletionDependencies {
  readonly client: Client;
  readonly metas: Store<ModuleReleaseMeta>;
  readonly manifests: { readonly ofModule: (name: string) => readonly Manifest[] };
  readonly events: EventRecorder;
  readonly requeueMs: number;
}

/** Keeps the release of a mandatory module until its Manifests are gone from every Kyma. */
export class MandatoryDeletion {
  readonly #deps: DeletionDependencies;

  constructor(deps: DeletionDependencies) {
    this.#deps = deps;
  }

  async reconcile(key: ObjectKey, ctx: Context): Promise<Outcome> {
    const meta = this.#deps.metas.get(key);
    if (meta?.spec.mandatory === undefined) return done;
    if (meta.metadata.deletionTimestamp === undefined) return this.#claim(meta, ctx);
    if (!meta.metadata.finalizers?.includes(finalizers.mandatoryModule)) return done;
    return this.#remove(meta, ctx);
  }

  async #claim(meta: ModuleReleaseMeta, { signal }: Context): Promise<Outcome> {
    const reason = "SettingMandatoryModuleTemplateFinalizerError";
    const { client, events } = this.#deps;
    const finalizer = { finalizer: finalizers.mandatoryModule, signal };
    await tellFailure(ensureFinalizer(client, moduleReleaseMetas, meta, finalizer), {
      events,
      regarding: meta,
      reason,
    });
    return done;
  }

  async #remove(meta: ModuleReleaseMeta, ctx: Context): Promise<Outcome> {
    const { client, manifests, requeueMs, events } = this.#deps;
    // Only what this controller made: a regular module may have the same name.
    const left = manifests.ofModule(meta.spec.moduleName).filter(isMandatory);
    if (left.length === 0) {
      await removeFinalizer(client, moduleReleaseMetas, meta, {
        finalizer: finalizers.mandatoryModule,
        signal: ctx.signal,
      });
      return done;
    }
    const writes = left
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((manifest) => ({ verb: "delete" as const, manifest }));
    const reason = "DeletingMandatoryModuleManifestError";
    await tellFailure(writeAll(client, writes, ctx.signal), { events, regarding: meta, reason });
    const names = left.map(({ metadata }) => metadata.labels?.[labels.kymaName] ?? "");
    ctx.log.info(
      { kymas: names.length, first: names[0] },
      "waiting for the Manifests of a mandatory module to be deleted",
    );
    return { kind: "wait", reason: "Manifests of the module are left", afterMs: requeueMs };
  }
}

/** Tries every write; throws the first failure. */
async function writeAll(client: Client, writes: readonly ManifestWrite[], signal: AbortSignal): Promise<void> {
  const [failure] = await writeManifests(client, writes, signal);
  if (failure !== undefined) throw failure.error;
}
