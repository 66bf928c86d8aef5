import { isPaused, type Kyma } from "../apis/operator/kyma.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import type { ModuleReleaseMeta } from "../apis/operator/module-release-meta.ts";
import { moduleTemplateName } from "../apis/operator/module-template.ts";
import { buildManifest } from "./build-manifest.ts";
import type { CatalogView } from "./catalog-view.ts";
import { type ComponentVersion, readContent } from "./descriptor.ts";
import { missingIdentity, notFound } from "./locate.ts";
import type { ManifestWrite } from "./plan-modules.ts";
import { type DescriptorLookup, nothingToInstall, type PlanSettings } from "./wanted-manifest.ts";
import { needsWrite } from "./write-decision.ts";

export interface MandatoryInput {
  readonly kyma: Kyma;
  readonly catalog: CatalogView;
  /** All ModuleReleaseMetas of the namespace that are mandatory. */
  readonly metas: readonly ModuleReleaseMeta[];
  readonly settings: PlanSettings;
  /** Every Manifest of the Kyma. */
  readonly manifests: readonly Manifest[];
  readonly descriptors: DescriptorLookup;
}

export interface MandatoryPlan {
  readonly writes: readonly ManifestWrite[];
  /** What keeps a module from being installed, by module name. The others go on. */
  readonly problems: ReadonlyMap<string, string>;
}

/** The metas whose modules every Kyma has; those that are being deleted no longer count. */
export function mandatoryMetas(metas: readonly ModuleReleaseMeta[]): readonly ModuleReleaseMeta[] {
  return metas.filter(({ spec, metadata }) => spec.mandatory !== undefined && metadata.deletionTimestamp === undefined);
}

/** The component versions whose descriptors {@link planMandatory} will ask for. */
export function neededMandatoryDescriptors(metas: readonly ModuleReleaseMeta[]): readonly ComponentVersion[] {
  return mandatoryMetas(metas)
    .map(({ spec }) => ({ component: spec.ocmComponentName ?? "", version: spec.mandatory?.version ?? "" }))
    .filter(({ component, version }) => missingIdentity(component, version) === undefined);
}

/** Plans the Manifests of the mandatory modules of one Kyma. They know neither gating nor windows nor downgrades. */
export function planMandatory(input: MandatoryInput): MandatoryPlan {
  const { kyma } = input;
  if (kyma.metadata.deletionTimestamp !== undefined || isPaused(kyma)) return { writes: [], problems: new Map() };
  const writes: ManifestWrite[] = [];
  const problems = new Map<string, string>();
  for (const meta of mandatoryMetas(input.metas)) {
    const wanted = mandatoryManifest(meta, input);
    if ("problem" in wanted) problems.set(meta.spec.moduleName, wanted.problem);
    else if (differs(wanted, input.manifests)) writes.push({ verb: "apply", manifest: wanted });
  }
  return { writes, problems };
}

function mandatoryManifest(meta: ModuleReleaseMeta, input: MandatoryInput): Manifest | { readonly problem: string } {
  const { moduleName, ocmComponentName: component = "", mandatory } = meta.spec;
  const version = mandatory?.version ?? "";
  const missing = missingIdentity(component, version);
  if (missing !== undefined) return { problem: missing };
  const name = moduleTemplateName(moduleName, version);
  const template = input.catalog.template(name);
  if (template === undefined) return { problem: templateMissing(moduleName, name) };
  const descriptor = input.descriptors({ component, version });
  if ("problem" in descriptor) return descriptor;
  const content = readContent(descriptor, input.settings.registry);
  if ("problem" in content) return content;
  const { install } = content;
  if (install === undefined) return nothingToInstall(descriptor);
  return buildManifest({
    kyma: input.kyma,
    moduleName,
    policy: "CreateAndDelete",
    mandatory: true,
    template,
    descriptor,
    content: { ...content, install },
    syncNamespace: input.settings.syncNamespace,
  });
}

function templateMissing(module: string, template: string): string {
  const cause = `failed to get ModuleTemplate for module ${module}: ${notFound(template)}`;
  return `get ModuleTemplate for mandatory module ${module} failed: ${cause}`;
}

function differs(wanted: Manifest, manifests: readonly Manifest[]): boolean {
  const inCluster = manifests.find(({ metadata }) => metadata.name === wanted.metadata.name);
  const generations = { templateGeneration: undefined, statusTemplateGeneration: undefined };
  return needsWrite({ inCluster, wanted, unmanaged: false, ...generations });
}
