import { type ComponentDescriptor, descriptorToObject } from "@kyma-operators/ocm";
import { apiVersion } from "../../../apis/operator/group.ts";
import { labels } from "../../../apis/operator/labels.ts";
import type { ModuleReleaseMeta } from "../../../apis/operator/module-release-meta.ts";
import {
  type ModuleTemplate,
  type ModuleTemplateSpec,
  moduleTemplateName,
} from "../../../apis/operator/module-template.ts";
import type { EmbeddedObject, Manager } from "../../../apis/operator/object.ts";
import { type ModuleConfig, shortNameOf } from "./config.ts";

const moduleVersion = "operator.kyma-project.io/module-version";

/** What a template is made of beside the config. */
export interface TemplateInput {
  readonly config: ModuleConfig;
  readonly descriptor: ComponentDescriptor;
  /** The default resource. */
  readonly data?: EmbeddedObject;
  /** Channels that shall lead to this version. */
  readonly channels: readonly string[];
}

/** The objects that offer a module version: its template and, where it has channels or is mandatory, its release. */
export function buildTemplates(input: TemplateInput): readonly (ModuleTemplate | ModuleReleaseMeta)[] {
  const release = releaseOf(input);
  return [templateOf(input), ...(release === undefined ? [] : [release])];
}

function templateOf({ config, descriptor, data }: TemplateInput): ModuleTemplate {
  const moduleName = shortNameOf(config.name);
  return {
    apiVersion,
    kind: "ModuleTemplate",
    metadata: {
      name: config.resourceName ?? moduleTemplateName(moduleName, config.version),
      namespace: config.namespace,
      labels: {
        ...config.labels,
        [labels.moduleName]: moduleName,
        ...(config.beta ? { [labels.beta]: "true" } : {}),
        ...(config.internal ? { [labels.internal]: "true" } : {}),
      },
      annotations: {
        ...config.annotations,
        [moduleVersion]: config.version,
      },
    },
    spec: {
      moduleName,
      version: config.version,
      ...(data === undefined ? {} : { data }),
      descriptor: descriptorToObject(descriptor),
      ...optionalFields(config),
    },
  };
}

function optionalFields(config: ModuleConfig): Partial<ModuleTemplateSpec> {
  const { repository, documentation, icons, manager, associatedResources, customStateCheck, resources } = config;
  return {
    ...(config.requiresDowntime ? { requiresDowntime: true } : {}),
    ...(repository === undefined || documentation === undefined
      ? {}
      : { info: { repository, documentation, ...(icons === undefined ? {} : { icons }) } }),
    ...(manager === undefined ? {} : { manager: manager as Manager }),
    ...(associatedResources === undefined ? {} : { associatedResources }),
    ...(customStateCheck === undefined ? {} : { customStateCheck }),
    ...(resources.length === 0 ? {} : { resources }),
  };
}

function releaseOf({ config, channels }: TemplateInput): ModuleReleaseMeta | undefined {
  const offer = config.mandatory
    ? { mandatory: { version: config.version } }
    : { channels: channels.map((channel) => ({ channel, version: config.version })) };
  if (!config.mandatory && channels.length === 0) return undefined;
  const moduleName = shortNameOf(config.name);
  return {
    apiVersion,
    kind: "ModuleReleaseMeta",
    metadata: { name: moduleName, namespace: config.namespace },
    spec: { moduleName, ocmComponentName: config.name, ...offer },
  };
}
