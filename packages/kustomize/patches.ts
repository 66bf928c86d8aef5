import { hasCode, textOf } from "@kyma-operators/errors";
import { parseYaml } from "@kyma-operators/yaml";
import { kustomizeErrors } from "./errors.ts";
import { formatId } from "./ids.ts";
import { isFields } from "./json.ts";
import { applyOperations, type Operation, readOperations } from "./json-patch.ts";
import type { PatchEntry } from "./kustomization.ts";
import { parseResources } from "./load-objects.ts";
import type { Root } from "./loader.ts";
import { mergePatch } from "./merge.ts";
import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";
import { selectResources } from "./selectors.ts";

interface Allowed {
  readonly nameChange: boolean;
  readonly kindChange: boolean;
}

/** Applies one entry of `patches`: a strategic patch or a JSON patch, by its own identity or by a target. */
export function applyPatchEntry(list: ResourceList, entry: PatchEntry, root: Root): void {
  const { text, name } = patchText(entry, root);
  const parsed = parsePatch(text, name);
  const allowed = {
    nameChange: entry.options?.["allowNameChange"] === true,
    kindChange: entry.options?.["allowKindChange"] === true,
  };
  if (parsed.kind === "strategic") applyStrategic(list, parsed.patches, { entry, allowed });
  else applyJson(list, parsed.operations, { entry, name });
}

/** Applies an entry of the old field `patchesStrategicMerge`: a file, or the patch itself. */
export function applyStrategicEntry(list: ResourceList, entry: string, root: Root): void {
  const isInline = entry.includes("\n") || entry.trimStart().startsWith("{");
  const text = isInline ? entry : root.readText(entry);
  const patches = parseResources(text, isInline ? "patchesStrategicMerge" : entry);
  for (const patch of patches) mergeInto(list, patch, { nameChange: false, kindChange: false });
}

/** Applies an entry of the old field `patchesJson6902`. */
export function applyJsonEntry(list: ResourceList, entry: PatchEntry, root: Root): void {
  const { text, name } = patchText(entry, root);
  applyJson(list, operationsIn(text, name), { entry, name });
}

function patchText(entry: PatchEntry, root: Root): { readonly text: string; readonly name: string } {
  if (entry.path !== "" && entry.patch !== "") {
    throw kustomizeErrors.PATCH({ patch: entry.path, problem: "specifies both path and patch, expected one of them" });
  }
  if (entry.path === "" && entry.patch === "") {
    throw kustomizeErrors.PATCH({ patch: "without content", problem: "must specify one of patch and path" });
  }
  if (entry.path !== "") return { text: root.readText(entry.path), name: entry.path };
  return { text: entry.patch, name: shorten(entry.patch) };
}

function shorten(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}

type Parsed =
  | { readonly kind: "strategic"; readonly patches: readonly Resource[] }
  | { readonly kind: "json"; readonly operations: readonly Operation[] };

/** Finds out what a patch is; what is neither is an error that says why for both. */
function parsePatch(text: string, name: string): Parsed {
  try {
    return { kind: "json", operations: operationsIn(text, name) };
  } catch (jsonProblem) {
    try {
      const patches = parseResources(text, `patch ${name}`);
      if (patches.length > 0) return { kind: "strategic", patches };
    } catch (strategicProblem) {
      const problem = `unable to parse it as strategic or JSON patch: ${textOf(strategicProblem)}; ${textOf(jsonProblem)}`;
      throw kustomizeErrors.PATCH({ patch: name, problem }, strategicProblem);
    }
    throw jsonProblem;
  }
}

/** A text that begins with `[` must be strict JSON; any other is YAML. */
function operationsIn(text: string, name: string): readonly Operation[] {
  try {
    const isJson = text.trimStart().startsWith("[");
    const value: unknown = isJson ? JSON.parse(text) : parseYaml(text, { name });
    return readOperations(value);
  } catch (error) {
    throw kustomizeErrors.PATCH({ patch: name, problem: `unable to parse the JSON patch: ${textOf(error)}` }, error);
  }
}

function applyStrategic(
  list: ResourceList,
  patches: readonly Resource[],
  { entry, allowed }: { readonly entry: PatchEntry; readonly allowed: Allowed },
): void {
  if (entry.target === undefined) {
    for (const patch of patches) mergeInto(list, patch, allowed);
    return;
  }
  const [patch, another] = patches;
  if (patch === undefined) return;
  if (another !== undefined) {
    throw kustomizeErrors.PATCH({ patch: entry.path, problem: "a patch with a target must be a single document" });
  }
  for (const target of selectResources(list, entry.target)) mergeOne(list, target, { patch, allowed });
}

/** Merges a patch into the one object it names. */
function mergeInto(list: ResourceList, patch: Resource, allowed: Allowed): void {
  const found = list.withAnyId(patch.id);
  const [target, another] = found;
  const id = formatId(patch.id);
  if (target === undefined) {
    throw kustomizeErrors.PATCH({
      patch: id,
      problem: `no matches for Id ${id}; failed to find unique target for patch`,
    });
  }
  if (another !== undefined) {
    const listed = found.map((item) => formatId(item.id)).join(", ");
    throw kustomizeErrors.PATCH({ patch: id, problem: `multiple matches for Id ${id}: ${listed}` });
  }
  mergeOne(list, target, { patch, allowed });
}

function mergeOne(
  list: ResourceList,
  target: Resource,
  { patch, allowed }: { readonly patch: Resource; readonly allowed: Allowed },
): void {
  const { name, namespace, kind } = target;
  const { apiVersion } = target.fields;
  if (allowed.nameChange || allowed.kindChange) target.rememberId();
  const merged = mergePatch(target.fields, list.budget.copy(patch.fields));
  if (merged === undefined) {
    list.remove(target);
    return;
  }
  target.fields = merged;
  target.fields["apiVersion"] = apiVersion;
  if (!allowed.kindChange) target.fields["kind"] = kind;
  if (!allowed.nameChange) target.name = name;
  restoreNamespace(target, namespace);
  list.changed(target);
}

function restoreNamespace(target: Resource, namespace: string): void {
  if (namespace !== "") target.namespace = namespace;
  else if (isFields(target.fields["metadata"])) delete target.fields["metadata"]["namespace"];
}

function applyJson(
  list: ResourceList,
  operations: readonly Operation[],
  { entry, name }: { readonly entry: PatchEntry; readonly name: string },
): void {
  if (entry.target === undefined) {
    throw kustomizeErrors.PATCH({ patch: name, problem: "must specify a target for JSON patch" });
  }
  for (const resource of selectResources(list, entry.target)) {
    resource.rememberId();
    try {
      applyOperations(resource.fields, operations, list.budget);
    } catch (error) {
      if (hasCode(error, "KUSTOMIZE_LIMIT")) throw error;
      throw kustomizeErrors.PATCH({ patch: name, problem: `${formatId(resource.id)}: ${textOf(error)}` }, error);
    }
    list.changed(resource);
  }
}
