import type { AnyObject } from "@kyma-operators/kube";
import { type FieldProblem, fieldProblem } from "../api-error.ts";
import type { Strategy } from "../resources/resource.ts";
import { cleanupFinalizer, type Definition } from "./definition.ts";

/** CustomResourceDefinitions keep a finalizer until their instances are gone. */
export const definitionStrategy: Partial<Strategy> = {
  prepareCreate: (definition) => withFinalizer(definition),
  validate: (definition) => validateDefinition(definition as Definition),
};

function withFinalizer(definition: AnyObject): AnyObject {
  const finalizers = definition.metadata.finalizers ?? [];
  if (finalizers.includes(cleanupFinalizer)) return definition;
  return { ...definition, metadata: { ...definition.metadata, finalizers: [...finalizers, cleanupFinalizer] } };
}

function validateDefinition({ metadata, spec }: Definition): readonly FieldProblem[] {
  const { names, group, versions } = spec;
  const wanted = `${names.plural}.${group}`;
  const stored = versions.filter(({ storage }) => storage);
  return [
    ...(metadata.name === wanted
      ? []
      : [
          fieldProblem("FieldValueInvalid", "metadata.name", `must be spec.names.plural+"."+spec.group`, metadata.name),
        ]),
    ...(stored.length === 1
      ? []
      : [
          fieldProblem(
            "FieldValueInvalid",
            "spec.versions",
            "must have exactly one version marked as storage version",
            versions.map(({ name }) => name),
          ),
        ]),
    ...versions.flatMap(({ schema }, index) =>
      schema?.openAPIV3Schema === undefined
        ? [fieldProblem("FieldValueRequired", `spec.versions[${index}].schema.openAPIV3Schema`, "schemas are required")]
        : [],
    ),
  ];
}
