import type { apiVersion } from "./group.ts";
import { isLabelled, labels } from "./labels.ts";
import type { EmbeddedObject, Manager, ObjectMeta } from "./object.ts";
import type { State } from "./state.ts";

export interface ModuleTemplateSpec {
  readonly moduleName?: string;
  readonly version?: string;
  /** Deprecated, ignored. */
  readonly channel?: string;
  /** Deprecated; such a template is refused for a module of a Kyma. */
  readonly mandatory?: boolean;
  /** The default resource of the module. */
  readonly data?: EmbeddedObject;
  /** Must be there, is not read: the descriptor comes from the registry. */
  readonly descriptor: Readonly<Record<string, unknown>>;
  /** Deprecated, ignored. */
  readonly customStateCheck?: readonly {
    readonly jsonPath: string;
    readonly value: string;
    readonly mappedState: State;
  }[];
  readonly resources?: readonly { readonly name: string; readonly link: string }[];
  readonly info?: {
    readonly repository: string;
    readonly documentation: string;
    readonly icons?: readonly { readonly name: string; readonly link: string }[];
  };
  readonly associatedResources?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
  readonly manager?: Manager;
  /** An upgrade to this version waits for a maintenance window. */
  readonly requiresDowntime?: boolean;
}

/** One version of one module. */
export interface ModuleTemplate {
  apiVersion: typeof apiVersion;
  kind: "ModuleTemplate";
  metadata: ObjectMeta;
  spec: ModuleTemplateSpec;
}

/** Name under which the template of a module version is looked up. */
export function moduleTemplateName(moduleName: string, version: string): string {
  return `${moduleName}-${version}`;
}

/** True when a Kyma with these flags may see the template: not mandatory, and `beta`/`internal` only for its like. */
export function isVisibleTo(
  template: ModuleTemplate,
  kyma: { readonly beta: boolean; readonly internal: boolean },
): boolean {
  if (template.spec.mandatory === true) return false;
  if (isLabelled(template, labels.beta) && !kyma.beta) return false;
  return !isLabelled(template, labels.internal) || kyma.internal;
}
