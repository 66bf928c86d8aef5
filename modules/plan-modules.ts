import { annotations } from "../apis/operator/annotations.ts";
import type { ModuleStatus } from "../apis/operator/kyma.ts";
import { labels } from "../apis/operator/labels.ts";
import { isMandatory, type Manifest } from "../apis/operator/manifest.ts";
import type { State } from "../apis/operator/state.ts";
import type { ComponentVersion } from "./descriptor.ts";
import { desiredChannel, type LookupContext, locateModule } from "./locate.ts";
import { type ListedModule, listModules } from "./module-list.ts";
import { statusFromProblem, statusOfModule } from "./module-status.ts";
import type { ModuleProblem } from "./problems.ts";
import { entryOf, type PlanInput, type Wanted, wantedManifest } from "./wanted-manifest.ts";
import { needsWrite } from "./write-decision.ts";

/** One change of a Manifest. `replace` puts a new spec into a Manifest that is being deleted. */
export type ManifestWrite =
  | { readonly verb: "apply" | "replace"; readonly manifest: Manifest }
  | { readonly verb: "delete"; readonly manifest: Manifest };

/** What one pass does for the modules of a Kyma, and what it then says about them. */
export interface ModulePlan {
  readonly writes: readonly ManifestWrite[];
  readonly statuses: readonly ModuleStatus[];
  /** Modules that cannot be brought to their wanted version, by name. */
  readonly problems: ReadonlyMap<string, ModuleProblem>;
}

/** The component versions whose descriptors {@link planModules} will ask for. */
export function neededDescriptors(context: LookupContext): readonly ComponentVersion[] {
  return listModules(context.kyma).flatMap((module) => {
    const found = locateModule(module, context);
    return "located" in found ? [{ component: found.located.component, version: found.located.version }] : [];
  });
}

/**
 * Plans the writes and the status entries for the modules of one Kyma. Nothing in it depends on an earlier pass but
 * the status and the Manifests that are given.
 */
export function planModules(input: PlanInput): ModulePlan {
  const outcomes = listModules(input.kyma).map((module) => planModule(module, input));
  const writes = outcomes.flatMap((outcome) => outcome.writes);
  const planned = new Set(writes.map(({ manifest }) => manifest.metadata.name));
  return {
    writes: [...writes, ...leftovers(input).filter(({ manifest }) => !planned.has(manifest.metadata.name))],
    statuses: outcomes.flatMap(({ status }) => (status === undefined ? [] : [status])),
    problems: new Map(outcomes.flatMap(({ name, problem }) => (problem === undefined ? [] : [[name, problem]]))),
  };
}

interface ModuleOutcome {
  readonly name: string;
  readonly writes: readonly ManifestWrite[];
  readonly status?: ModuleStatus | undefined;
  readonly problem?: ModuleProblem;
}

function planModule(module: ListedModule, input: PlanInput): ModuleOutcome {
  const wanted = wantedManifest(module, input);
  if ("problem" in wanted) return module.enabled ? refuse(module, wanted.problem, input) : remove(module, input);
  return module.enabled ? install(module, wanted, input) : remove(module, input, wanted);
}

function install(module: ListedModule, { manifest, located, component }: Wanted, input: PlanInput): ModuleOutcome {
  const inCluster = input.manifests.find(({ metadata }) => metadata.name === manifest.metadata.name);
  const write = needsWrite({
    inCluster,
    wanted: manifest,
    unmanaged: module.unmanaged,
    templateGeneration: located.template.metadata.generation,
    statusTemplateGeneration: entryOf(input.kyma, module.name)?.template?.metadata?.generation,
  });
  const status = statusOfModule({
    name: module.name,
    channel: located.channel,
    unmanaged: module.unmanaged,
    component,
    template: located.template,
    manifest: manifest,
    state: stateOf(inCluster, manifest),
  });
  return { name: module.name, writes: write ? [{ verb: "apply", manifest }] : [], status };
}

/**
 * State of the module as its Manifest in the cluster says. While an upgrade is on its way the Manifest still carries
 * the state of the former version, which says nothing about the wanted one.
 */
function stateOf(inCluster: Manifest | undefined, wanted: Manifest): State {
  const state = inCluster?.status?.state ?? "";
  const installed = inCluster?.metadata.annotations?.[annotations.syncOciRef];
  const upgrading = installed !== undefined && installed !== wanted.spec.install.source["ref"];
  return state === "Ready" && upgrading ? "Processing" : state;
}

/** A module that is no longer wanted: its Manifest goes, and as long as it is there the entry stays. */
function remove(module: ListedModule, input: PlanInput, wanted?: Wanted): ModuleOutcome {
  const entry = entryOf(input.kyma, module.name);
  const name = entry?.manifest?.metadata?.name;
  const inCluster = input.manifests.find((manifest) => manifest.metadata.name === name && !isMandatory(manifest));
  if (entry === undefined || inCluster === undefined) return { name: module.name, writes: [] };
  const followed = wanted === undefined ? { entry, writes: [] } : follow(entry, wanted, inCluster);
  return {
    name: module.name,
    writes: [...deletion(inCluster), ...followed.writes],
    status: { ...followed.entry, state: inCluster.status?.state ?? "" },
  };
}

/** A version that cannot be removed may be removable in the next one, so a Manifest on its way out still follows. */
function follow(
  entry: ModuleStatus,
  { manifest, located, component }: Wanted,
  inCluster: Manifest,
): { readonly entry: ModuleStatus; readonly writes: readonly ManifestWrite[] } {
  const write =
    manifest.metadata.name === inCluster.metadata.name &&
    needsWrite({
      inCluster,
      wanted: manifest,
      unmanaged: false,
      templateGeneration: located.template.metadata.generation,
      statusTemplateGeneration: entry.template?.metadata?.generation,
    });
  const { customResourcePolicy = "CreateAndDelete" } = inCluster.spec;
  return {
    entry: statusOfModule({
      name: entry.name,
      channel: located.channel,
      unmanaged: false,
      component,
      template: located.template,
      manifest: manifest,
      state: "",
    }),
    writes: write
      ? [{ verb: "replace", manifest: { ...inCluster, spec: { ...manifest.spec, customResourcePolicy } } }]
      : [],
  };
}

/** A module that is wanted and cannot be had. Only where it is not allowed does an installed one go. */
function refuse(module: ListedModule, problem: ModuleProblem, input: PlanInput): ModuleOutcome {
  const { name } = module;
  const channel = desiredChannel(module, input.kyma);
  const status = statusFromProblem(name, channel, problem, entryOf(input.kyma, name));
  const gone = problem.kind === "not-allowed" ? input.manifests.filter((manifest) => isOf(manifest, name)) : [];
  return { name, writes: gone.flatMap(deletion), status, problem };
}

/** Manifests that we made for modules which neither spec nor status knows any more. */
function leftovers({ kyma, manifests }: PlanInput): ManifestWrite[] {
  const known = new Set(listModules(kyma).map(({ name }) => name));
  return manifests
    .filter((manifest) => {
      const module = manifest.metadata.labels?.[labels.moduleName];
      const ours = manifest.metadata.ownerReferences?.some(
        ({ uid, controller }) => controller && uid === kyma.metadata.uid,
      );
      return ours && module !== undefined && !known.has(module) && !isMandatory(manifest);
    })
    .flatMap(deletion);
}

function deletion(manifest: Manifest): ManifestWrite[] {
  return manifest.metadata.deletionTimestamp === undefined ? [{ verb: "delete", manifest }] : [];
}

function isOf(manifest: Manifest, module: string): boolean {
  return manifest.metadata.labels?.[labels.moduleName] === module && !isMandatory(manifest);
}
