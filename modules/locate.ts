import { defaultChannel, isBeta, isInternal, type Kyma } from "../apis/operator/kyma.ts";
import { isLabelled, labels } from "../apis/operator/labels.ts";
import type { ModuleReleaseMeta } from "../apis/operator/module-release-meta.ts";
import { type ModuleTemplate, moduleTemplateName } from "../apis/operator/module-template.ts";
import type { CatalogView } from "./catalog-view.ts";
import { parseSelector } from "./label-selector.ts";
import { needsWindow, type WindowState, windowProblem } from "./maintenance/upgrade-gate.ts";
import type { ListedModule } from "./module-list.ts";
import { type ModuleProblem, otherProblem, problemOf } from "./problems.ts";

/** Where a module comes from: everything that is known before its component descriptor is read. */
export interface LocatedModule {
  readonly channel: string;
  readonly component: string;
  readonly version: string;
  readonly template: ModuleTemplate;
}

export type Located = { readonly located: LocatedModule } | { readonly problem: ModuleProblem };

/** What the lookup of modules of one Kyma depends on. */
export interface LookupContext {
  readonly kyma: Kyma;
  readonly catalog: CatalogView;
  /** Modules that need a selector in their ModuleReleaseMeta. */
  readonly restrictedModules: readonly string[];
  /** Asked only when an upgrade needs a window. */
  readonly window: () => WindowState;
}

/** Channel that counts for a module of the list. */
export function desiredChannel(module: ListedModule, kyma: Kyma): string {
  return module.channel || kyma.spec.channel || defaultChannel;
}

/** Finds version and template of a module, and whether the Kyma may have it now. */
export function locateModule(module: ListedModule, context: LookupContext): Located {
  if (module.problem !== undefined) return { problem: module.problem };
  const { kyma, catalog } = context;
  const meta = catalog.releaseMeta(module.name);
  if (meta === undefined) return { problem: noReleaseMeta(module.name, kyma) };
  const channel = desiredChannel(module, kyma);
  const released = lookupRelease(meta, channel);
  if ("problem" in released) return released;
  const name = moduleTemplateName(module.name, released.version);
  const template = catalog.template(name);
  if (template === undefined) return { problem: otherProblem(`failed to get module template: ${notFound(name)}`) };
  const located = { channel, template, ...released };
  const problem = waits(module, template, context) ?? gate(located, meta, context);
  return problem === undefined ? { located } : { problem };
}

/** The text with which the API reports a template that is not there. */
export function notFound(templateName: string): string {
  return `ModuleTemplate.operator.kyma-project.io "${templateName}" not found`;
}

function noReleaseMeta(name: string, kyma: Kyma): ModuleProblem {
  const { kind, message } = problemOf("no-release-meta");
  // Two blanks: part of the recorded text.
  const where = `  for module "${name}" in namespace "${kyma.metadata.namespace ?? ""}"`;
  return { kind, message: message + where, beforeChannel: true };
}

type Release = { readonly version: string; readonly component: string };

/** Version and component that a ModuleReleaseMeta gives for a channel. */
function lookupRelease(meta: ModuleReleaseMeta, channel: string): Release | { readonly problem: ModuleProblem } {
  const { moduleName, mandatory, channels = [], ocmComponentName: component = "" } = meta.spec;
  if (mandatory !== undefined) return { problem: mandatoryProblem(moduleName) };
  const version = channels.find((entry) => entry.channel === channel)?.version;
  if (version === undefined) {
    const text =
      channels.length === 0
        ? `no channels found for module: ${moduleName}`
        : `no versions found for channel: ${channel} in module ${moduleName}`;
    return { problem: otherProblem(text) };
  }
  const missing = missingIdentity(component, version);
  return missing === undefined ? { version, component } : { problem: otherProblem(missing) };
}

/** What a component version lacks to be looked up. */
export function missingIdentity(component: string, version: string): string | undefined {
  if (component === "") return "invalid component name: value not provided";
  return version === "" ? "invalid component version: value not provided" : undefined;
}

function mandatoryProblem(module: string): ModuleProblem {
  const message = `module ${module} is mandatory: every Kyma has it already, remove it from spec.modules`;
  return { kind: "mandatory", message };
}

function waits(
  module: ListedModule,
  template: ModuleTemplate,
  { kyma, window }: LookupContext,
): ModuleProblem | undefined {
  const entry = kyma.status?.modules?.find(({ name }) => name === module.name);
  return needsWindow(template, kyma, entry) ? windowProblem(window()) : undefined;
}

/** Whether the Kyma may have the module; the first objection counts. */
function gate(located: LocatedModule, meta: ModuleReleaseMeta, context: LookupContext): ModuleProblem | undefined {
  const { template, channel, component } = located;
  const refused = (detail: string): ModuleProblem => ({ ...problemOf("not-allowed", detail), component });
  if (isLabelled(template, labels.internal) && !isInternal(context.kyma)) return refused("internal module");
  if (isLabelled(template, labels.beta) && !isBeta(context.kyma)) return refused("beta module");
  if (template.spec.mandatory === true) {
    // The blank at the end is part of the recorded text.
    return problemOf("no-templates", `for module ${template.metadata.name} in channel ${channel} `);
  }
  const objection = restriction(meta, context);
  return objection === undefined ? undefined : refused(objection);
}

/** Why the selector of a module, or its absence, keeps the Kyma from it. */
function restriction(meta: ModuleReleaseMeta, { kyma, restrictedModules }: LookupContext): string | undefined {
  const { kymaSelector, moduleName } = meta.spec;
  const restricted = restrictedModules.includes(moduleName);
  if (kymaSelector === undefined) return restricted ? "" : undefined;
  if (!restricted) return "module has kymaSelector but is not in restricted modules list";
  const selector = parseSelector(kymaSelector);
  if ("problem" in selector) return `failed to parse kymaSelector on ModuleReleaseMeta: ${selector.problem}`;
  const own = kyma.metadata.labels;
  return own !== undefined && selector.matches(own) ? undefined : "restricted module not allowed for this Kyma";
}
