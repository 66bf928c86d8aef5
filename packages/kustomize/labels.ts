import { stepsFor } from "./budget.ts";
import { changeField, type FieldPath } from "./field-path.ts";
import { annotationFields, labelFields } from "./field-specs.ts";
import { isFields, setField } from "./json.ts";
import type { LabelEntry } from "./kustomization.ts";
import type { ResourceList } from "./resource-list.ts";

/** Sets the labels of one entry of `labels`. */
export function applyLabelEntry(list: ResourceList, entry: LabelEntry): void {
  const defaults = entry.includeSelectors
    ? labelFields.all
    : entry.includeTemplates
      ? labelFields.templates
      : labelFields.metadata;
  setEntries(list, entry.pairs, [...entry.fields, ...defaults]);
}

/** Sets `commonLabels`, selectors included. */
export function applyCommonLabels(list: ResourceList, labels: Readonly<Record<string, string>>): void {
  setEntries(list, labels, labelFields.all);
}

export function applyCommonAnnotations(list: ResourceList, annotations: Readonly<Record<string, string>>): void {
  setEntries(list, annotations, annotationFields);
}

function setEntries(list: ResourceList, entries: Readonly<Record<string, string>>, fields: readonly FieldPath[]): void {
  if (Object.keys(entries).length === 0) return;
  const set = (value: unknown): unknown => {
    const map = isFields(value) ? value : {};
    for (const [key, entry] of Object.entries(entries)) setField(map, key, entry);
    return map;
  };
  for (const resource of list.all(stepsFor(entries)))
    for (const field of fields) changeField(resource, field, { set, make: "map" });
}
