import type { Kyma, ModuleStatus } from "../apis/operator/kyma.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { buildManifest } from "./build-manifest.ts";
import { type ComponentVersion, type Descriptor, type DescriptorProblem, readContent } from "./descriptor.ts";
import { type LocatedModule, type LookupContext, locateModule } from "./locate.ts";
import type { ListedModule } from "./module-list.ts";
import type { ModuleValues } from "./module-values.ts";
import { type ModuleProblem, otherProblem, problemOf } from "./problems.ts";
import { judgeVersionChange } from "./version-change.ts";

export type DescriptorLookup = (id: ComponentVersion) => Descriptor | DescriptorProblem;

export interface PlanSettings {
  /** Registry reference that goes into every Manifest. */
  readonly registry: string;
  readonly syncNamespace: string;
}

export interface PlanInput extends LookupContext {
  readonly settings: PlanSettings;
  /** Every Manifest with the label `kyma-name` of this Kyma, in its namespace. */
  readonly manifests: readonly Manifest[];
  readonly descriptors: DescriptorLookup;
  /** Values for modules that are charts. */
  readonly values?: ModuleValues;
}

/** The Manifest a module should have, and where it came from. */
export interface Wanted {
  readonly manifest: Manifest;
  readonly located: LocatedModule;
  /** Name inside the descriptor. */
  readonly component: string;
}

/** The Manifest a module should have, whatever is in the cluster. */
export function wantedManifest(module: ListedModule, input: PlanInput): Wanted | { readonly problem: ModuleProblem } {
  const found = locateModule(module, input);
  if ("problem" in found) return found;
  const { located } = found;
  const descriptor = input.descriptors({ component: located.component, version: located.version });
  if ("problem" in descriptor) return { problem: otherProblem(descriptor.problem) };
  const problem = downgradeProblem(module, located, descriptor, input.kyma);
  if (problem !== undefined) return { problem };
  const built = manifestFor(module, located, descriptor, input);
  if ("problem" in built) return { problem: otherProblem(built.problem) };
  return { manifest: built, located, component: descriptor.name };
}

function manifestFor(
  module: ListedModule,
  { channel, template }: LocatedModule,
  descriptor: Descriptor,
  { kyma, settings, values }: PlanInput,
): Manifest | DescriptorProblem {
  const content = readContent(descriptor, settings.registry);
  if ("problem" in content) return content;
  const { install } = content;
  if (install === undefined) return nothingToInstall(descriptor);
  return buildManifest({
    kyma,
    moduleName: module.name,
    channel,
    ...(module.policy === undefined ? {} : { policy: module.policy }),
    unmanaged: module.unmanaged,
    template,
    descriptor,
    content: { ...content, install },
    syncNamespace: settings.syncNamespace,
    ...(values === undefined ? {} : { values }),
  });
}

/** Why a descriptor gives no Manifest: the API server would refuse one without an install source. */
export function nothingToInstall({ name, version, repositoryContexts }: Descriptor): DescriptorProblem {
  const lack =
    repositoryContexts.length === 0 ? "repository context, so its layers cannot be named" : "layer raw-manifest";
  return { problem: `could not parse descriptor: ${name}:${version} has no ${lack}: there is nothing to install` };
}

function downgradeProblem(
  module: ListedModule,
  located: LocatedModule,
  descriptor: Descriptor,
  kyma: Kyma,
): ModuleProblem | undefined {
  const entry = entryOf(kyma, module.name);
  if (entry?.template === undefined) return undefined;
  const installed = entry.version ?? "";
  const change = judgeVersionChange(installed, descriptor.version);
  if (change === "allowed") return undefined;
  if (change !== "downgrade")
    return problemOf("update-not-allowed", `could not handle channel skew as ${holders[change]}`);
  const channels = `(from ${entry.channel ?? ""} to ${located.channel})`;
  const reason = `as a higher version (${installed}) of the module was previously installed`;
  return problemOf("update-not-allowed", `ignore channel skew ${channels}, ${reason}`);
}

const holders = {
  "old version invalid": "Modules contains invalid version",
  "new version invalid": "descriptor from template contains invalid version",
} as const;

/** The entry of a module in the status as it was found. */
export function entryOf(kyma: Kyma, module: string): ModuleStatus | undefined {
  return kyma.status?.modules?.find(({ name }) => name === module);
}
