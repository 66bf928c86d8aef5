import { changeField, type FieldPath } from "./field-path.ts";
import { annotationFields, labelFields } from "./field-specs.ts";
import { isFields, setField } from "./json.ts";
import type { LabelEntry } from "./kustomization.ts";
import type { Resource } from "./resource.ts";

/** Sets the labels of one entry of `labels`. */
export function applyLabelEntry(resources: readonly Resource[], entry: LabelEntry): void {
  const defaults = entry.includeSelectors
    ? labelFields.all
    : entry.includeTemplates
      ? labelFields.templates
      : labelFields.metadata;
  setEntries(resources, entry.pairs, [...entry.fields, ...defaults]);
}

/** Sets `commonLabels`, selectors included. */
export function applyCommonLabels(resources: readonly Resource[], labels: Readonly<Record<string, string>>): void {
  setEntries(resources, labels, labelFields.all);
}

export function applyCommonAnnotations(
  resources: readonly Resource[],
  annotations: Readonly<Record<string, string>>,
): void {
  setEntries(resources, annotations, annotationFields);
}

function setEntries(
  resources: readonly Resource[],
  entries: Readonly<Record<string, string>>,
  fields: readonly FieldPath[],
): void {
  if (Object.keys(entries).length === 0) return;
  const set = (value: unknown): unknown => {
    const map = isFields(value) ? value : {};
    for (const [key, entry] of Object.entries(entries)) setField(map, key, entry);
    return map;
  };
  for (const resource of resources) for (const field of fields) changeField(resource, field, { set, make: "map" });
}
