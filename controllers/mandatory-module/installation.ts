import type { Client, ObjectKey } from "@kyma-operators/kube";
import type { Context, EventRecorder, Outcome, Store } from "@kyma-operators/runtime";
import { isPaused, type Kyma } from "../../apis/operator/kyma.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../../apis/operator/module-template.ts";
import { forEachBounded } from "../../modules/bounded.ts";
import { catalogView } from "../../modules/catalog-view.ts";
import {
  type ComponentVersion,
  type Descriptor,
  type DescriptorProblem,
  descriptorProblem,
} from "../../modules/descriptor.ts";
import { mandatoryMetas, neededMandatoryDescriptors, planMandatory } from "../../modules/mandatory.ts";
import { warningEvent } from "../../modules/warning-event.ts";
import { writeManifests } from "../../modules/write-manifests.ts";
import { mandatoryErrors } from "./errors.ts";
import type { MandatoryMetrics } from "./metrics.ts";
import type { MandatoryOptions } from "./options.ts";

const fetchesAtOnce = 5;
const done: Outcome = { kind: "done" };

export interface InstallationDependencies extends MandatoryOptions {
  readonly client: Client;
  readonly kymas: Store<Kyma>;
  readonly metas: Store<ModuleReleaseMeta>;
  readonly templates: Store<ModuleTemplate>;
  readonly manifests: { readonly of: (kyma: Kyma) => readonly Manifest[] };
  readonly events: EventRecorder;
  readonly metrics: MandatoryMetrics;
}

/** Gives every Kyma the Manifests of the mandatory modules. */
export class MandatoryInstallation {
  readonly #deps: InstallationDependencies;
  /** What was last said about each module that cannot be installed, so that it is said once. */
  readonly #said = new Map<string, string>();

  constructor(deps: InstallationDependencies) {
    this.#deps = deps;
  }

  async reconcile(key: ObjectKey, ctx: Context): Promise<Outcome> {
    const { kymas, metas, settings, metrics } = this.#deps;
    const kyma = kymas.get(key);
    if (kyma === undefined || kyma.metadata.deletionTimestamp !== undefined || isPaused(kyma)) return done;
    const mandatory = mandatoryMetas(metas.byIndex("mandatory", "true"));
    metrics.modules.set({}, mandatory.length);
    const problems = await this.#install(kyma, mandatory, ctx);
    this.#report(mandatory, problems);
    const [first, ...others] = problems;
    if (first !== undefined) {
      throw mandatoryErrors.MODULES_UNUSABLE({ first: first[0], problem: first[1], others: others.length });
    }
    return { kind: "wait", reason: "mandatory modules are as wanted", afterMs: settings.requeueMs };
  }

  async #install(kyma: Kyma, metas: readonly ModuleReleaseMeta[], ctx: Context): Promise<ReadonlyMap<string, string>> {
    const { client, settings, templates, manifests } = this.#deps;
    const descriptors = await this.#fetch(neededMandatoryDescriptors(metas), ctx.signal);
    const plan = planMandatory({
      kyma,
      metas,
      catalog: catalogView(settings.namespace, metas, templates.list()),
      settings,
      manifests: manifests.of(kyma),
      descriptors: (id) =>
        descriptors.get(textOfId(id)) ?? { problem: `descriptor of ${textOfId(id)} was not fetched` },
    });
    const [failure, ...others] = await writeManifests(client, plan.writes, ctx.signal);
    if (failure === undefined) return plan.problems;
    throw mandatoryErrors.MANIFEST_WRITE(
      { first: `Manifest ${failure.manifest}`, others: others.length },
      failure.error,
    );
  }

  async #fetch(ids: readonly ComponentVersion[], signal: AbortSignal) {
    const found = new Map<string, Descriptor | DescriptorProblem>();
    const failures = await forEachBounded(ids, fetchesAtOnce, async (id) => {
      found.set(textOfId(id), await this.#deps.descriptors.get(id, signal));
    });
    for (const { item, error } of failures) found.set(textOfId(item), descriptorProblem(item, error));
    return found;
  }

  /** A module that nobody can have is told of at its release, once, not at every Kyma. */
  #report(metas: readonly ModuleReleaseMeta[], problems: ReadonlyMap<string, string>): void {
    for (const meta of metas) {
      const { moduleName } = meta.spec;
      const problem = problems.get(moduleName);
      if (problem !== undefined && this.#said.get(moduleName) !== problem) {
        this.#deps.events.event(meta, warningEvent("MandatoryModuleInstallationError", problem));
      }
      if (problem === undefined) this.#said.delete(moduleName);
      else this.#said.set(moduleName, problem);
    }
  }
}

function textOfId({ component, version }: ComponentVersion): string {
  return `${component}:${version}`;
}
