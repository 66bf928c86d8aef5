import { hasCode, textOf } from "@kyma-operators/errors";
import { parseYaml } from "@kyma-operators/yaml";
import { type Budget, stepsFor } from "./budget.ts";
import { kustomizeErrors } from "./errors.ts";
import { isSelected, type ResId } from "./ids.ts";
import { isScalar, scalarText } from "./json.ts";
import type { FieldOptions, Replacement, ReplacementSelector } from "./kustomization.ts";
import { findSlots, type Search, type Slot, splitFieldPath } from "./replacement-path.ts";
import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";

const defaultPath = "metadata.name";

/** Copies a value from one field to others. Throws `KUSTOMIZE_REPLACEMENT` when a field is not there. */
export function applyReplacement(list: ResourceList, replacement: Replacement): void {
  if (replacement.targets.length === 0) throw fail("must specify targets");
  const value = sourceValue(list, replacement);
  for (const target of replacement.targets) replaceIn(list, target, value);
}

function replaceIn(list: ResourceList, target: Replacement["targets"][number], value: unknown): void {
  const { select, reject, fieldPaths, options } = target;
  if (select === undefined) throw fail("target must specify resources to select");
  const selects = matcherFor(select);
  const rejects = reject.filter((selector) => !isEmpty(selector)).map((selector) => matcherFor(selector));
  const isChosen = (id: ResId): boolean => selects(id) && !rejects.some((rejected) => rejected(id));
  const paths = fieldPaths.length === 0 ? [defaultPath] : fieldPaths;
  for (const resource of candidatesFor(list, select).filter(({ ids }) => ids.some(isChosen))) {
    for (const path of paths) {
      list.budget.spend(1 + rejects.length);
      setAt(resource, path, { value, options, budget: list.budget });
    }
    list.changed(resource);
  }
}

function sourceValue(list: ResourceList, { source, sourceValue: literal }: Replacement): unknown {
  if (source === undefined) {
    if (literal === undefined) throw fail("must specify a source");
    return literal;
  }
  const resource = selectSource(list, source);
  const path = source.fieldPath === "" ? defaultPath : source.fieldPath;
  const [slot] = slotsIn(resource, path, { budget: list.budget });
  const value = slot?.get();
  if (slot === undefined || value === undefined || value === null) {
    throw fail(`fieldPath \`${path}\` is missing for replacement source ${describe(source)}`);
  }
  return refined(list.budget.copy(value), source.options);
}

function selectSource(list: ResourceList, source: ReplacementSelector): Resource {
  const matches = matcherFor(source);
  const found = candidatesFor(list, source).filter((resource) => resource.ids.some(matches));
  const [first, another] = found;
  if (first === undefined) throw fail(`nothing selected by ${describe(source)}`);
  if (another !== undefined) throw fail(`multiple matches for selector ${describe(source)}`);
  return first;
}

/** One part of a text, where the source asks for it. */
function refined(value: unknown, options: FieldOptions | undefined): unknown {
  if (options === undefined || options.delimiter === "") return value;
  if (!isScalar(value)) throw fail("delimiter option can only be used with scalar nodes");
  const part = scalarText(value).split(options.delimiter)[options.index];
  if (part === undefined || options.index < 0) {
    throw fail(`options.index ${options.index} is out of bounds for value ${scalarText(value)}`);
  }
  return part;
}

interface NewValue {
  readonly value: unknown;
  readonly options: FieldOptions | undefined;
  readonly budget: Budget;
}

function setAt(resource: Resource, path: string, wanted: NewValue): void {
  const { value, options, budget } = wanted;
  const make = options?.create === true ? () => (isScalar(value) ? undefined : {}) : undefined;
  const slots = slotsIn(resource, path, { make, budget });
  if (slots.length === 0) throw fail(`unable to find field "${path}" in replacement target`);
  const steps = stepsFor(value);
  const isText = isTextMap(path);
  for (const slot of slots) {
    const old = slot.get();
    budget.spend(isScalar(old) ? steps + stepsFor(old) : steps);
    slot.set(replaced(old, wanted, { isText }));
  }
}

/** A scalar takes the text and keeps its type; anything else is replaced as a whole. */
function replaced(old: unknown, { value, options }: NewValue, { isText }: { readonly isText: boolean }): unknown {
  if (options !== undefined && options.delimiter !== "") {
    if (!isScalar(old)) throw fail("delimiter option can only be used with scalar nodes");
    return likewise(old, insertPart(scalarText(old), scalarText(value), options));
  }
  if (!isScalar(value)) return structuredClone(value);
  if (old === undefined || old === null) return isText ? scalarText(value) : resolved(scalarText(value));
  return isScalar(old) ? likewise(old, scalarText(value)) : value;
}

function insertPart(text: string, value: string, { delimiter, index }: FieldOptions): string {
  const parts = text.split(delimiter);
  if (index < 0) parts.unshift(value);
  else if (index >= parts.length) parts.push(value);
  else parts[index] = value;
  return parts.join(delimiter);
}

function likewise(old: string | number | bigint | boolean | null, text: string): unknown {
  return typeof old === "string" ? text : resolved(text);
}

/** Labels and annotations are texts whatever they look like. */
function isTextMap(path: string): boolean {
  return /(^|\.)(labels|annotations)\.[^.]|(^|\.)(labels|annotations)\.\[/.test(path.replaceAll("\\.", "_"));
}

function resolved(text: string): unknown {
  const value = parseYaml(text, { dialect: "resource" });
  return isScalar(value) ? value : text;
}

function slotsIn(resource: Resource, path: string, search: Search): readonly Slot[] {
  search.budget.spendBytes(path.length);
  try {
    return findSlots(resource.fields, splitFieldPath(path), search);
  } catch (error) {
    if (hasCode(error, "KUSTOMIZE_LIMIT")) throw error;
    throw fail(`field "${path}" of ${resource.kind} ${resource.name}: ${textOf(error)}`, error);
  }
}

function candidatesFor(list: ResourceList, { name }: ReplacementSelector): readonly Resource[] {
  return name === "" ? list.all() : list.named(name);
}

/** Every field that the selector names must be the same; unlike targets of patches these are no expressions. */
function matcherFor(selector: ReplacementSelector): (id: ResId) => boolean {
  const { name, namespace } = selector;
  return (id) =>
    isSelected(id, selector) && (name === "" || name === id.name) && (namespace === "" || namespace === id.namespace);
}

function isEmpty(selector: ReplacementSelector): boolean {
  return Object.values(selector).every((value) => value === "");
}

function describe(selector: ReplacementSelector): string {
  const { group, version, kind, name, namespace } = selector;
  return [kind || "any kind", group, version, name, namespace].filter((part) => part !== "").join("/");
}

function fail(problem: string, cause?: unknown): Error {
  return kustomizeErrors.REPLACEMENT({ problem }, cause);
}
