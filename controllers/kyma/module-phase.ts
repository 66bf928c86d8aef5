import { forEachBounded } from "../../modules/bounded.ts";
import {
  type ComponentVersion,
  type Descriptor,
  type DescriptorProblem,
  descriptorProblem,
} from "../../modules/descriptor.ts";
import type { LookupContext } from "../../modules/locate.ts";
import { type WindowState, windowState } from "../../modules/maintenance/upgrade-gate.ts";
import { neededDescriptors, planModules } from "../../modules/plan-modules.ts";
import { withFailures, writeManifests } from "../../modules/write-manifests.ts";
import type { Dependencies } from "./dependencies.ts";
import { kymaErrors } from "./errors.ts";
import { moduleValuesIn } from "./module-values.ts";
import type { Pass } from "./pass.ts";

const fetchesAtOnce = 5;

/** Decides about the modules of a Kyma and writes their Manifests. */
export class ModulePhase {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Leaves the new entries in the pass. Throws `KYMA_MANIFEST_WRITE` after all writes were tried. */
  async run(pass: Pass): Promise<void> {
    const { settings, manifests, catalog, announcer, client, valuesSecret } = this.#deps;
    const { kyma, ctx } = pass;
    const window = once(() => windowState(kyma, ctx.now, settings.windows));
    const view = catalog.view();
    const context: LookupContext = { kyma, catalog: view, restrictedModules: settings.restrictedModules, window };
    const descriptors = await this.#fetch(neededDescriptors(context), ctx.signal);
    const plan = planModules({
      ...context,
      settings,
      manifests: manifests.of(kyma),
      values: moduleValuesIn(valuesSecret(kyma), kyma),
      descriptors: (id) => descriptors.get(keyOf(id)) ?? { problem: `descriptor of ${keyOf(id)} was not fetched` },
    });
    const failures = await writeManifests(client, plan.writes, ctx.signal);
    pass.modules = withFailures(plan.statuses, failures);
    announcer.problems(pass.observed, plan.problems, { moduleNames: () => view.moduleNames(), window });
    const [first] = failures;
    if (first === undefined) return;
    throw kymaErrors.MANIFEST_WRITE({ first: `Manifest ${first.manifest}`, others: failures.length - 1 }, first.error);
  }

  async #fetch(ids: readonly ComponentVersion[], signal: AbortSignal) {
    const found = new Map<string, Descriptor | DescriptorProblem>();
    const failures = await forEachBounded(ids, fetchesAtOnce, async (id) => {
      found.set(keyOf(id), await this.#deps.descriptors.get(id, signal));
    });
    for (const { item, error } of failures) found.set(keyOf(item), descriptorProblem(item, error));
    return found;
  }
}

function keyOf({ component, version }: ComponentVersion): string {
  return `${component}:${version}`;
}

/** Asks at most once; most Kymas never have to know their window. */
function once(ask: () => WindowState): () => WindowState {
  let known: WindowState | undefined;
  return () => {
    known ??= ask();
    return known;
  };
}
