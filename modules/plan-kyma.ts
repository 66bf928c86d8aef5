import type { Kyma, ModuleStatus } from "../apis/operator/kyma.ts";
import { labels } from "../apis/operator/labels.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import type { ModuleReleaseMeta } from "../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../apis/operator/module-template.ts";
import type { State } from "../apis/operator/state.ts";
import { catalogView } from "./catalog-view.ts";
import type { ComponentVersion } from "./descriptor.ts";
import { activeChannelOf, areModulesReady, kymaState } from "./kyma-state.ts";
import type { LookupContext } from "./locate.ts";
import { type WindowSettings, type WindowState, windowState } from "./maintenance/upgrade-gate.ts";
import { mandatoryMetas, neededMandatoryDescriptors, planMandatory } from "./mandatory.ts";
import { isForbiddenChannel } from "./module-list.ts";
import { type ManifestWrite, neededDescriptors, planModules } from "./plan-modules.ts";
import type { ModuleProblem } from "./problems.ts";
import { afterWrites } from "./simulate-writes.ts";
import type { DescriptorLookup, PlanSettings } from "./wanted-manifest.ts";

/** A Kyma and everything on the control plane that decides about its modules. */
export interface World {
  readonly kyma: Kyma;
  readonly metas: readonly ModuleReleaseMeta[];
  readonly templates: readonly ModuleTemplate[];
  readonly manifests: readonly Manifest[];
}

export interface KymaPlanSettings extends PlanSettings {
  readonly restrictedModules: readonly string[];
  readonly windows: WindowSettings;
  readonly nowMs: number;
}

/** What one pass over a Kyma would produce. */
export interface KymaPlan {
  /** Every Manifest that exists afterwards. */
  readonly manifests: readonly Manifest[];
  readonly modules: readonly ModuleStatus[];
  readonly writes: readonly ManifestWrite[];
  readonly kyma: { readonly state: State; readonly activeChannel?: string };
  readonly error?: string;
  readonly mandatoryError?: string;
  readonly problems: ReadonlyMap<string, ModuleProblem>;
  readonly window: () => WindowState;
}

/** The component versions that {@link planKyma} will ask for. */
export function descriptorsOf(world: World, settings: KymaPlanSettings): readonly ComponentVersion[] {
  return [...neededDescriptors(contextOf(world, settings)), ...neededMandatoryDescriptors(world.metas)];
}

/** One pass of the Kyma controller and one of the mandatory controller, without a cluster. */
export function planKyma(world: World, settings: KymaPlanSettings, descriptors: DescriptorLookup): KymaPlan {
  const context = contextOf(world, settings);
  const own = manifestsOf(world);
  const { kyma } = world;
  const refused = isForbiddenChannel(kyma.spec.channel);
  const regular = refused
    ? { writes: [], statuses: kyma.status?.modules ?? [], problems: new Map<string, ModuleProblem>() }
    : planModules({ ...context, settings, manifests: own, descriptors });
  const between = afterWrites(own, regular.writes);
  const metas = mandatoryMetas(world.metas);
  const mandatory = planMandatory({ ...context, metas, settings, manifests: between, descriptors });
  const state = refused ? "Error" : stateOf(regular.statuses);
  const activeChannel = activeChannelOf(state, kyma.spec.channel, kyma.status?.activeChannel);
  return {
    manifests: afterWrites(between, mandatory.writes),
    modules: regular.statuses,
    writes: [...regular.writes, ...mandatory.writes],
    kyma: { state, ...(activeChannel === undefined ? {} : { activeChannel }) },
    ...(refused ? { error: 'invalid kyma spec: value "none" is not allowed in spec.channel' } : {}),
    ...(mandatory.problems.size === 0 ? {} : { mandatoryError: [...mandatory.problems.values()].join("; ") }),
    problems: regular.problems,
    window: context.window,
  };
}

function contextOf({ kyma, metas, templates }: World, settings: KymaPlanSettings): LookupContext {
  return {
    kyma,
    catalog: catalogView(kyma.metadata.namespace ?? "", metas, templates),
    restrictedModules: settings.restrictedModules,
    window: () => windowState(kyma, settings.nowMs, settings.windows),
  };
}

function manifestsOf({ kyma, manifests }: World): readonly Manifest[] {
  return manifests.filter(
    ({ metadata }) =>
      metadata.namespace === kyma.metadata.namespace && metadata.labels?.[labels.kymaName] === kyma.metadata.name,
  );
}

/** Conditions that need a cluster count as fulfilled. */
function stateOf(modules: readonly ModuleStatus[]): State {
  return kymaState(modules, [{ status: areModulesReady(modules) ? "True" : "False" }]);
}
