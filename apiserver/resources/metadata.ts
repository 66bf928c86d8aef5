import type { AnyObject, ObjectMeta } from "@kyma-operators/kube";
import { type FieldProblem, fieldProblem } from "../api-error.ts";
import { asPrefix, isDns1123Label, isLabelValue, isQualifiedName, type NameCheck } from "./names.ts";

const annotationLimitBytes = 256 * 1024;
const finalizersOfKubernetes = new Set([
  "orphan",
  "foregroundDeletion",
  "kubernetes",
  "customresourcecleanup.apiextensions.k8s.io",
]);

/** What differs between kinds. */
export interface MetadataRules {
  readonly namespaced: boolean;
  readonly checkName: NameCheck;
  /** Built-in kinds take finalizers with a domain only; custom ones any name. */
  readonly custom: boolean;
}

/** Every problem of `metadata` as Kubernetes words it. */
export function validateMetadata(object: AnyObject, rules: MetadataRules): readonly FieldProblem[] {
  const { metadata } = object;
  return [
    ...validateName(metadata, rules.checkName),
    ...validateNamespace(metadata, rules.namespaced),
    ...validateGeneration(metadata),
    ...validateLabels(metadata.labels ?? {}, "metadata.labels"),
    ...validateAnnotations(metadata.annotations ?? {}),
    ...validateOwners(metadata),
    ...validateFinalizers(metadata.finalizers ?? []),
    ...(rules.custom ? [] : validateFinalizerDomains(metadata.finalizers ?? [])),
  ];
}

function validateName({ name, generateName }: ObjectMeta, checkName: NameCheck): readonly FieldProblem[] {
  const prefix =
    generateName === undefined || generateName === ""
      ? []
      : asPrefix(checkName)(generateName).map((text) =>
          fieldProblem("FieldValueInvalid", "metadata.generateName", text, generateName),
        );
  if (name === undefined || name === "") {
    return [...prefix, fieldProblem("FieldValueRequired", "metadata.name", "name or generateName is required")];
  }
  return [...prefix, ...checkName(name).map((text) => fieldProblem("FieldValueInvalid", "metadata.name", text, name))];
}

function validateNamespace({ namespace }: ObjectMeta, namespaced: boolean): readonly FieldProblem[] {
  const has = namespace !== undefined && namespace !== "";
  if (!namespaced) {
    return has ? [fieldProblem("FieldValueForbidden", "metadata.namespace", "not allowed on this type")] : [];
  }
  if (!has) return [fieldProblem("FieldValueRequired", "metadata.namespace", "")];
  return isDns1123Label(namespace).map((text) =>
    fieldProblem("FieldValueInvalid", "metadata.namespace", text, namespace),
  );
}

function validateGeneration({ generation }: ObjectMeta): readonly FieldProblem[] {
  if (generation === undefined || generation >= 0) return [];
  return [fieldProblem("FieldValueInvalid", "metadata.generation", "must be greater than or equal to 0", generation)];
}

/** Problems of a label map at a path, also of pod templates and selectors. */
export function validateLabels(labels: Readonly<Record<string, unknown>>, path: string): readonly FieldProblem[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...isQualifiedName(key).map((text) => fieldProblem("FieldValueInvalid", path, text, key)),
    ...isLabelValue(String(value)).map((text) => fieldProblem("FieldValueInvalid", path, text, value)),
  ]);
}

/** Problems of the keys of an annotation map at a path, also of pod templates. */
export function validateAnnotationKeys(
  annotations: Readonly<Record<string, unknown>>,
  path: string,
): readonly FieldProblem[] {
  return Object.keys(annotations).flatMap((key) =>
    isQualifiedName(key.toLowerCase()).map((text) => fieldProblem("FieldValueInvalid", path, text, key)),
  );
}

function validateAnnotations(annotations: Readonly<Record<string, string>>): readonly FieldProblem[] {
  const entries = Object.entries(annotations);
  const keys = validateAnnotationKeys(annotations, "metadata.annotations");
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (bytes <= annotationLimitBytes) return keys;
  const message = `may not be more than ${annotationLimitBytes} bytes`;
  return [...keys, fieldProblem("FieldValueTooLong", "metadata.annotations", message)];
}

/** Kinds that are too short-lived to own anything. */
const eventVersions = new Map([
  ["v1", "/v1"],
  ["events.k8s.io/v1", "events.k8s.io/v1"],
]);

/** A version, or a group and a version. */
function isVersion(apiVersion: string): boolean {
  const parts = apiVersion.split("/");
  return parts.length <= 2 && parts.at(-1) !== "";
}

function validateOwners({ ownerReferences = [] }: ObjectMeta): readonly FieldProblem[] {
  const problems = ownerReferences.flatMap((owner) => {
    const path = "metadata.ownerReferences";
    return [
      ...(isVersion(owner.apiVersion)
        ? []
        : [fieldProblem("FieldValueInvalid", `${path}.apiVersion`, "version must not be empty", owner.apiVersion)]),
      ...required(owner.kind, `${path}.kind`, "must not be empty"),
      ...required(owner.name, `${path}.name`, "must not be empty"),
      ...required(owner.uid, `${path}.uid`, "must not be empty"),
      ...(owner.kind === "Event" && eventVersions.has(owner.apiVersion)
        ? [
            fieldProblem(
              "FieldValueInvalid",
              path,
              `${eventVersions.get(owner.apiVersion)}, Kind=Event is disallowed from being an owner`,
              owner,
            ),
          ]
        : []),
    ];
  });
  const controllers = ownerReferences.filter(({ controller }) => controller === true);
  if (controllers.length < 2) return problems;
  const names = controllers.slice(0, 2).map(({ kind, name }) => `${kind}/${name}`);
  return [
    ...problems,
    fieldProblem(
      "FieldValueInvalid",
      "metadata.ownerReferences",
      `Only one reference can have Controller set to true. Found "true" in references for ${names.join(" and ")}`,
      ownerReferences,
    ),
  ];
}

function required(value: string, path: string, detail: string): readonly FieldProblem[] {
  return value === "" || value === undefined ? [fieldProblem("FieldValueInvalid", path, detail, "")] : [];
}

function validateFinalizers(finalizers: readonly string[]): readonly FieldProblem[] {
  const problems = finalizers.flatMap((finalizer) =>
    isQualifiedName(finalizer).map((text) => fieldProblem("FieldValueInvalid", "metadata.finalizers", text, finalizer)),
  );
  if (!finalizers.includes("orphan") || !finalizers.includes("foregroundDeletion")) return problems;
  const message = "finalizer orphan and foregroundDeletion cannot be both set";
  return [...problems, fieldProblem("FieldValueInvalid", "metadata.finalizers", message, finalizers)];
}

function validateFinalizerDomains(finalizers: readonly string[]): readonly FieldProblem[] {
  const text = "name is neither a standard finalizer name nor is it fully qualified";
  return finalizers.flatMap((finalizer, index) =>
    isQualifiedFinalizer(finalizer) || isQualifiedName(finalizer).length > 0
      ? []
      : [fieldProblem("FieldValueInvalid", `metadata.finalizers[${index}]`, text, finalizer)],
  );
}

/** Whether nobody else is likely to use this name. */
export function isQualifiedFinalizer(finalizer: string): boolean {
  return finalizer.includes("/") || finalizersOfKubernetes.has(finalizer);
}

/** Fields of `metadata` that an update can't change. */
export function validateImmutableMetadata(next: ObjectMeta, old: ObjectMeta): readonly FieldProblem[] {
  const fields = ["name", "namespace", "uid", "creationTimestamp"] as const;
  const changed = fields
    .filter((field) => (next[field] ?? "") !== (old[field] ?? ""))
    .map((field) => fieldProblem("FieldValueInvalid", `metadata.${field}`, "field is immutable", next[field] ?? null));
  return [...changed, ...validateNoNewFinalizers(next, old)];
}

function validateNoNewFinalizers(next: ObjectMeta, old: ObjectMeta): readonly FieldProblem[] {
  if (old.deletionTimestamp === undefined) return [];
  const added = (next.finalizers ?? []).filter((finalizer) => !(old.finalizers ?? []).includes(finalizer));
  if (added.length === 0) return [];
  return [
    fieldProblem(
      "FieldValueForbidden",
      "metadata.finalizers",
      `no new finalizers can be added if the object is being deleted, found new finalizers ${goStrings(added)}`,
    ),
  ];
}

/** A list of strings as Go's `%#v` prints it. */
export function goStrings(values: readonly string[]): string {
  return `[]string{${values.map((value) => JSON.stringify(value)).join(", ")}}`;
}
