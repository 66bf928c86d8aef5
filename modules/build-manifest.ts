import { annotations } from "../apis/operator/annotations.ts";
import { apiVersion } from "../apis/operator/group.ts";
import type { CustomResourcePolicy, Kyma } from "../apis/operator/kyma.ts";
import { labels, labelValues } from "../apis/operator/labels.ts";
import type { ConfigSpec, Manifest } from "../apis/operator/manifest.ts";
import type { ModuleTemplate } from "../apis/operator/module-template.ts";
import type { EmbeddedObject } from "../apis/operator/object.ts";
import type { Descriptor, ModuleContent } from "./descriptor.ts";
import { manifestName } from "./manifest-name.ts";
import { type ModuleValues, withValues } from "./module-values.ts";

export interface ManifestInput {
  readonly kyma: Kyma;
  readonly moduleName: string;
  /** Absent for mandatory modules, which have no channel. */
  readonly channel?: string;
  /** Absent leaves the policy of an existing Manifest as it is. */
  readonly policy?: CustomResourcePolicy;
  readonly unmanaged?: boolean;
  readonly mandatory?: boolean;
  readonly template: ModuleTemplate;
  /** Name and version inside the descriptor count, whatever led to it. */
  readonly descriptor: Descriptor;
  readonly content: ModuleContent & { readonly install: NonNullable<ModuleContent["install"]> };
  /** Namespace of default resources that name none. */
  readonly syncNamespace: string;
  /** Values for charts. */
  readonly values?: ModuleValues;
}

/** The Manifest that carries a module version to the remote cluster of a Kyma. */
export function buildManifest(input: ManifestInput): Manifest {
  const { kyma, descriptor, content, template } = input;
  const name = manifestName(kyma.metadata.name ?? "", descriptor.name, input.moduleName);
  const { data, manager } = template.spec;
  return {
    apiVersion,
    kind: "Manifest",
    metadata: {
      name,
      namespace: kyma.metadata.namespace ?? "",
      labels: labelsOf(input),
      annotations: annotationsOf(input),
      ownerReferences: [ownerOf(kyma)],
    },
    spec: {
      remote: false,
      version: descriptor.version,
      install: withValues(content.install, input.moduleName, input.values ?? {}),
      ...configOf(content),
      ...(content.images.length === 0 ? {} : { localizedImages: content.images }),
      ...(manager === undefined ? {} : { manager }),
      ...(data === undefined ? {} : { resource: withIdentity(data, name, input.syncNamespace) }),
      ...(input.policy === undefined ? {} : { customResourcePolicy: input.policy }),
    },
  };
}

function labelsOf({ kyma, moduleName, channel, mandatory, template }: ManifestInput): Record<string, string> {
  const templateLabels = template.metadata.labels;
  return {
    [labels.kymaName]: kyma.metadata.name ?? "",
    [labels.moduleName]: moduleName,
    [labels.managedBy]: labelValues.managedByControlPlane,
    // Even an empty value, as soon as the template has any label: what the original writes.
    ...(templateLabels === undefined ? {} : { [labels.controllerName]: templateLabels[labels.controllerName] ?? "" }),
    ...(channel === undefined ? {} : { [labels.channel]: channel }),
    ...(mandatory ? { [labels.mandatoryModule]: labelValues.true } : {}),
  };
}

function annotationsOf({ descriptor, unmanaged }: ManifestInput): Record<string, string> {
  return {
    [annotations.fqdn]: descriptor.name,
    [annotations.ocmComponentName]: descriptor.name,
    ...(unmanaged ? { [annotations.isUnmanaged]: labelValues.true } : {}),
  };
}

function ownerOf(kyma: Kyma) {
  const { name = "", uid = "" } = kyma.metadata;
  return { apiVersion, kind: "Kyma", name, uid, controller: true, blockOwnerDeletion: true };
}

/** The schema of `spec.config` does not know tars, and nothing reads the field: such a layer is left out. */
function configOf({ config }: ModuleContent): { config?: ConfigSpec } {
  return config?.type === "oci-ref" ? { config: { ...config, type: config.type } } : {};
}

function withIdentity(data: EmbeddedObject, name: string, namespace: string): EmbeddedObject {
  const metadata = data.metadata ?? {};
  return {
    ...data,
    metadata: { ...metadata, name: metadata.name || name, namespace: metadata.namespace || namespace },
  };
}
