import { anything, type Schema, SchemaCompiler, withObjectMeta } from "@kyma-operators/schema";
import { isDns1123Subdomain } from "../resources/names.ts";
import {
  type CustomResource,
  equal,
  type ScalePaths,
  type ServedResource,
  type Subresource,
  specDiffers,
} from "../resources/resource.ts";
import type { Definition, DefinitionVersion } from "./definition.ts";

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const subresourceVerbs = ["get", "patch", "update"];

/** The resources of a definition, one per served version. */
export function resourcesOf(definition: Definition): readonly ServedResource[] {
  return definition.spec.versions.filter(({ served }) => served).map((version) => resourceOf(definition, version));
}

function resourceOf({ metadata, spec }: Definition, version: DefinitionVersion): ServedResource {
  const { names, group } = spec;
  const subresources = subresourcesOf(names.kind, version);
  const rawSchema = version.schema?.openAPIV3Schema;
  let schema: Schema | undefined;
  return {
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: spec.scope === "Namespaced",
    verbs,
    subresources,
    collection: `${group}/${names.plural}`,
    get schema() {
      return (schema ??= withObjectMeta(rawSchema === undefined ? anything : new SchemaCompiler().compile(rawSchema)));
    },
    strategy: {
      checkName: isDns1123Subdomain,
      hasStatus: subresources.has("status"),
      // Without a status subresource every change of the content raises the generation.
      raisesGeneration: subresources.has("status")
        ? specDiffers
        : (next, old) => specDiffers(next, old) || !equal(next.status, old.status),
    },
    scale: scaleOf(version),
    custom: customOf(metadata.name ?? "", version, `${group}/${version.name} ${names.kind}`),
  };
}

function customOf(definition: string, version: DefinitionVersion, title: string): CustomResource {
  return {
    definition,
    columns: version.additionalPrinterColumns,
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, "")),
    rawSchema: version.schema?.openAPIV3Schema,
    deprecation: version.deprecated === true ? (version.deprecationWarning ?? `${title} is deprecated`) : undefined,
  };
}

function subresourcesOf(kind: string, { subresources = {} }: DefinitionVersion): ReadonlyMap<string, Subresource> {
  const served = new Map<string, Subresource>();
  if (subresources.status !== undefined) served.set("status", { kind, verbs: subresourceVerbs });
  if (subresources.scale !== undefined) {
    served.set("scale", { kind: "Scale", group: "autoscaling", version: "v1", verbs: subresourceVerbs });
  }
  return served;
}

function scaleOf({ subresources }: DefinitionVersion): ScalePaths | undefined {
  const scale = subresources?.scale;
  if (scale === undefined) return undefined;
  const path = (text: string): readonly string[] => text.split(".").filter((part) => part !== "");
  return {
    specReplicas: path(scale.specReplicasPath),
    statusReplicas: path(scale.statusReplicasPath),
    labelSelector: scale.labelSelectorPath === undefined ? undefined : path(scale.labelSelectorPath),
  };
}
