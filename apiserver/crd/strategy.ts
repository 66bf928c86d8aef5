import type { AnyObject } from "@kyma-operators/kube";
import { type RawSchema, structuralFaults } from "@kyma-operators/schema";
import { type FieldProblem, fieldProblem } from "../api-error.ts";
import { isDns1035Label, isDns1123Subdomain } from "../resources/names.ts";
import { equal, type Strategy } from "../resources/resource.ts";
import type { Definition, DefinitionNames, DefinitionVersion } from "./definition.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];

/** CustomResourceDefinitions start with a status that accepts nothing yet. */
export const definitionStrategy: Partial<Strategy> = {
  prepareCreate: (definition) => ({ ...definition, status: initialStatus(definition as Definition) }),
  validate: (definition) => validateDefinition(definition as Definition),
};

/** A definition that is not validated yet may lack them. */
function versionsOf({ versions }: Partial<Definition["spec"]>): readonly DefinitionVersion[] {
  return Array.isArray(versions) ? versions.filter((version) => typeof version === "object" && version !== null) : [];
}

function initialStatus({ spec }: Definition): unknown {
  const storage = versionsOf(spec).find(({ storage }) => storage)?.name;
  return {
    conditions: null,
    acceptedNames: { plural: "", kind: "" },
    storedVersions: storage === undefined ? [] : [storage],
  };
}

function validateDefinition(definition: Definition): readonly FieldProblem[] {
  const { metadata, spec } = definition;
  const { names, group, scope } = spec;
  const versions = versionsOf(spec);
  const wanted = `${names.plural}.${group}`;
  return [
    ...(metadata.name === wanted
      ? []
      : [
          fieldProblem("FieldValueInvalid", "metadata.name", `must be spec.names.plural+"."+spec.group`, metadata.name),
        ]),
    ...isDns1123Subdomain(group ?? "").map((text) => fieldProblem("FieldValueInvalid", "spec.group", text, group)),
    ...(scope === "Cluster" || scope === "Namespaced"
      ? []
      : [unsupported("spec.scope", scope, ["Cluster", "Namespaced"])]),
    ...validateStorage(versions),
    ...validateNames(names),
    ...versions.flatMap((version, index) => validateVersion(version, pathsOf(versions, index))),
  ];
}

function unsupported(field: string, value: unknown, supported: readonly string[]): FieldProblem {
  const list = supported.map((text) => JSON.stringify(text)).join(", ");
  return {
    reason: "FieldValueNotSupported",
    field,
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`,
  };
}

function validateStorage(versions: readonly DefinitionVersion[]): readonly FieldProblem[] {
  if (versions.filter(({ storage }) => storage).length === 1) return [];
  const message = "must have exactly one version marked as storage version";
  return [
    fieldProblem(
      "FieldValueInvalid",
      "spec.versions",
      message,
      versions.map(({ name }) => name),
    ),
  ];
}

function validateNames({
  plural,
  kind,
  singular,
  listKind,
  shortNames = [],
}: DefinitionNames): readonly FieldProblem[] {
  const label = (field: string, value: string | undefined): readonly FieldProblem[] =>
    (value ?? "") === ""
      ? [fieldProblem("FieldValueRequired", `spec.names.${field}`, "")]
      : isDns1035Label(
          (value ?? "").toLowerCase() === value || field === "plural" || field.startsWith("short")
            ? (value ?? "")
            : (value ?? "").toLowerCase(),
        ).map((text) => fieldProblem("FieldValueInvalid", `spec.names.${field}`, text, value));
  return [
    ...label("plural", plural),
    ...label("singular", singular),
    ...label("kind", kind),
    ...label("listKind", listKind),
    ...shortNames.flatMap((name, index) => label(`shortNames[${index}]`, name)),
  ];
}

/** Where the parts of a version stand in messages: of a single version as if it were the whole definition. */
interface VersionPaths {
  readonly names: readonly string[];
  readonly schema: string;
  readonly rest: string;
}

function pathsOf(versions: readonly DefinitionVersion[], index: number): VersionPaths {
  const own = `spec.versions[${index}]`;
  const isShared = versions.every(({ schema }) => equal(schema, versions[0]?.schema));
  if (versions.length > 1 && !isShared)
    return { names: [`${own}.name`], schema: `${own}.schema.openAPIV3Schema`, rest: `${own}.` };
  const names = index === 0 ? [`${own}.name`, "spec.version"] : [`${own}.name`];
  return { names, schema: index === 0 ? "spec.validation.openAPIV3Schema" : "", rest: "spec." };
}

function validateVersion(version: DefinitionVersion, paths: VersionPaths): readonly FieldProblem[] {
  const { name, schema, additionalPrinterColumns = [], subresources } = version;
  const badName = isDns1035Label(name);
  return [
    ...paths.names.flatMap((path) => badName.map((text) => fieldProblem("FieldValueInvalid", path, text, name))),
    ...validateSchema(schema?.openAPIV3Schema, paths.schema),
    ...additionalPrinterColumns.flatMap(({ jsonPath, type }, index) => {
      const path = `${paths.rest}additionalPrinterColumns[${index}]`;
      const types = `must be one of ${columnTypes.join(",")}`;
      return [
        ...(columnTypes.includes(type) ? [] : [fieldProblem("FieldValueInvalid", `${path}.type`, types, type)]),
        ...((jsonPath ?? "") === "" ? [fieldProblem("FieldValueRequired", `${path}.JSONPath`, "")] : []),
      ];
    }),
    ...validateScale(subresources?.scale, `${paths.rest}subresources.scale`),
  ];
}

function validateSchema(schema: RawSchema | undefined, path: string): readonly FieldProblem[] {
  // Versions that share one schema are judged once.
  if (path === "") return [];
  if (schema !== undefined) return structuralFaults(schema, path);
  return [fieldProblem("FieldValueRequired", "spec.versions[0].schema.openAPIV3Schema", "")];
}

function validateScale(
  scale: NonNullable<DefinitionVersion["subresources"]>["scale"],
  path: string,
): readonly FieldProblem[] {
  if (scale === undefined) return [];
  return (["specReplicasPath", "statusReplicasPath"] as const)
    .filter((field) => (scale[field] ?? "") === "")
    .map((field) => fieldProblem("FieldValueRequired", `${path}.${field}`, ""));
}

/** Whether the definition is a new one whose finalizer is still missing. */
export function lacksFinalizer({ metadata }: AnyObject, finalizer: string): boolean {
  return metadata.deletionTimestamp === undefined && !(metadata.finalizers ?? []).includes(finalizer);
}
