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
  setEntries(list, entry.pairs, { fields: [...entry.fields, ...defaults], steps: stepsFor(entry.fields) });
}

/** Sets `commonLabels`, selectors included. */
export function applyCommonLabels(list: ResourceList, labels: Readonly<Record<string, string>>): void {
  setEntries(list, labels, { fields: labelFields.all });
}

export function applyCommonAnnotations(list: ResourceList, annotations: Readonly<Record<string, string>>): void {
  setEntries(list, annotations, { fields: annotationFields });
}

/** Where entries are set, and what the way to these places costs for each object. */
interface Places {
  readonly fields: readonly FieldPath[];
  readonly steps?: number;
}

function setEntries(list: ResourceList, entries: Readonly<Record<string, string>>, { fields, steps }: Places): void {
  if (Object.keys(entries).length === 0) return;
  const stepsPerPlace = stepsFor(entries);
  const set = (value: unknown): unknown => {
    list.budget.spend(stepsPerPlace);
    const map = isFields(value) ? value : {};
    for (const [key, entry] of Object.entries(entries)) setField(map, key, entry);
    return map;
  };
  const change = { set, make: "map", budget: list.budget } as const;
  for (const resource of list.all(steps)) for (const field of fields) changeField(resource, field, change);
}
