import { textOf } from "@kyma-operators/errors";
import { parseYaml } from "@kyma-operators/yaml";
import { anything, type Decoded, DecodeError, flag, integer, list, mapOf, object, optional, text } from "./decode.ts";
import { kustomizeErrors } from "./errors.ts";
import { isFields } from "./json.ts";

const fieldSpec = object({ group: text, version: text, kind: text, path: text, create: flag });

const selector = object({
  group: text,
  version: text,
  kind: text,
  name: text,
  namespace: text,
  labelSelector: text,
  annotationSelector: text,
});

const generatorOptions = object({
  labels: mapOf(text),
  annotations: mapOf(text),
  disableNameSuffixHash: flag,
  immutable: flag,
});

const generatorShape = {
  name: text,
  namespace: text,
  behavior: text,
  literals: list(text),
  files: list(text),
  envs: list(text),
  env: text,
  options: optional(generatorOptions),
};

const patch = object({
  path: text,
  patch: text,
  target: optional(selector),
  options: optional(mapOf(flag)),
});

const fieldOptions = object({ delimiter: text, index: integer, encoding: text, create: flag });

const replacementSelector = object({ group: text, version: text, kind: text, name: text, namespace: text });

const replacement = object({
  path: text,
  source: optional(
    object({
      group: text,
      version: text,
      kind: text,
      name: text,
      namespace: text,
      fieldPath: text,
      options: optional(fieldOptions),
    }),
  ),
  sourceValue: optional(text),
  targets: list(
    object({
      select: optional(replacementSelector),
      reject: list(replacementSelector),
      fieldPaths: list(text),
      options: optional(fieldOptions),
    }),
  ),
});

const label = object({
  pairs: mapOf(text),
  includeSelectors: flag,
  includeTemplates: flag,
  fields: list(fieldSpec),
});

const image = object({ name: text, newName: text, newTag: text, tagSuffix: text, digest: text });

const shape = object({
  apiVersion: text,
  kind: text,
  metadata: anything,
  resources: list(text),
  bases: list(text),
  components: list(text),
  namespace: text,
  namePrefix: text,
  nameSuffix: text,
  labels: list(label),
  commonLabels: mapOf(text),
  commonAnnotations: mapOf(text),
  images: list(image),
  imageTags: list(image),
  replicas: list(object({ name: text, count: integer })),
  patches: list(patch),
  patchesStrategicMerge: list(text),
  patchesJson6902: list(patch),
  configMapGenerator: list(object(generatorShape)),
  secretGenerator: list(object({ ...generatorShape, type: text })),
  generatorOptions: optional(generatorOptions),
  replacements: list(replacement),
  sortOptions: optional(
    object({
      order: text,
      legacySortOptions: optional(object({ orderFirst: list(text), orderLast: list(text) })),
    }),
  ),
});

export type Kustomization = Decoded<typeof shape>;
export type FieldSpec = Decoded<typeof fieldSpec>;
export type Selector = Decoded<typeof selector>;
export type GeneratorOptions = Decoded<typeof generatorOptions>;
export type GeneratorArgs = Kustomization["secretGenerator"][number];
export type PatchEntry = Decoded<typeof patch>;
export type ImageEntry = Decoded<typeof image>;
export type LabelEntry = Decoded<typeof label>;
export type Replacement = Decoded<typeof replacement>;
export type ReplacementSelector = Decoded<typeof replacementSelector>;
export type FieldOptions = Decoded<typeof fieldOptions>;

/** Fields that kustomize has and this package refuses, each with what to do instead. */
const refused: Readonly<Record<string, string>> = {
  vars: "use replacements",
  helmCharts: "render the chart first, helm is never run",
  helmChartInflationGenerator: "render the chart first, helm is never run",
  helmGlobals: "render the chart first, helm is never run",
  generators: "plugins are never run; use configMapGenerator or secretGenerator",
  transformers: "plugins are never run; use the fields of the kustomization",
  validators: "plugins are never run",
  configurations: "own field paths are not read; use labels.fields or replacements",
  crds: "schemas of custom resources are not read",
  openapi: "an own schema is not read",
  buildMetadata: "the origin of objects is not recorded",
};

const kinds: Readonly<Record<string, string>> = {
  Kustomization: "kustomize.config.k8s.io/v1beta1",
  Component: "kustomize.config.k8s.io/v1alpha1",
};

/**
 * Reads a kustomization file. Fields are checked strictly, because a misspelt field that is ignored changes what is
 * deployed.
 *
 * @param file - names the file in errors.
 */
export function parseKustomization(content: string, file: string): Kustomization {
  const value = readYaml(content, file);
  if (value === null || value === undefined)
    throw kustomizeErrors.INVALID_KUSTOMIZATION({ file, problem: "kustomization.yaml is empty" });
  if (!isFields(value)) throw kustomizeErrors.INVALID_KUSTOMIZATION({ file, problem: "expected a map" });
  refuseUnsupported(value, file);
  const kustomization = decoded(value, file);
  checkHeader(kustomization, file);
  if (isEmpty(value)) throw kustomizeErrors.INVALID_KUSTOMIZATION({ file, problem: "kustomization.yaml is empty" });
  return kustomization;
}

/** The replacements of a file: one, or a list. */
export function parseReplacements(content: string, file: string): readonly Replacement[] {
  const value = readYaml(content, file);
  const entries = Array.isArray(value) ? value : [value];
  return entries.map((entry: unknown) => decodeWith(() => replacement(entry, "replacements"), file));
}

function readYaml(content: string, file: string): unknown {
  try {
    return parseYaml(content);
  } catch (error) {
    throw kustomizeErrors.INVALID_KUSTOMIZATION({ file, problem: textOf(error) }, error);
  }
}

function refuseUnsupported(value: Readonly<Record<string, unknown>>, file: string): void {
  for (const [field, hint] of Object.entries(refused)) {
    if (value[field] !== undefined) throw kustomizeErrors.UNSUPPORTED({ file, field, hint });
  }
}

function decoded(value: unknown, file: string): Kustomization {
  return decodeWith(() => shape(value, ""), file);
}

function decodeWith<T>(decode: () => T, file: string): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw kustomizeErrors.INVALID_KUSTOMIZATION({ file, problem: error.message }, error);
  }
}

function checkHeader({ apiVersion, kind }: Kustomization, file: string): void {
  const expected = kinds[kind === "" ? "Kustomization" : kind];
  if (expected === undefined) {
    const problem = `kind should be Kustomization or Component, found ${JSON.stringify(kind)}`;
    throw kustomizeErrors.INVALID_KUSTOMIZATION({ file, problem });
  }
  if (apiVersion !== "" && apiVersion !== expected) {
    const problem = `apiVersion for ${kind || "Kustomization"} should be ${expected}, found ${JSON.stringify(apiVersion)}`;
    throw kustomizeErrors.INVALID_KUSTOMIZATION({ file, problem });
  }
}

/** An empty list or map is content; only fields without any value leave a kustomization empty. */
function isEmpty(value: Readonly<Record<string, unknown>>): boolean {
  const { apiVersion: _version, kind: _kind, ...rest } = value;
  return Object.values(rest).every((entry) => entry === null || entry === undefined || entry === "");
}
