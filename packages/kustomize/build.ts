import { Budget } from "./budget.ts";
import { kustomizeErrors } from "./errors.ts";
import { absorb, generate } from "./generators.ts";
import { addHashes } from "./hash.ts";
import { rewriteImages } from "./images.ts";
import type { Fields } from "./json.ts";
import { type Kustomization, parseKustomization, parseReplacements } from "./kustomization.ts";
import { applyCommonAnnotations, applyCommonLabels, applyLabelEntry } from "./labels.ts";
import { parseResources } from "./load-objects.ts";
import { Root } from "./loader.ts";
import { fixReferences } from "./name-references.ts";
import { addPrefix, addSuffix } from "./names.ts";
import { setNamespace } from "./namespace.ts";
import { applyJsonEntry, applyPatchEntry, applyStrategicEntry } from "./patches.ts";
import { applyReplacement } from "./replacements.ts";
import { setReplicas } from "./replicas.ts";
import { ResourceList } from "./resource-list.ts";
import { sortResources } from "./sort.ts";
import type { FileTree } from "./tree.ts";

/** Marks objects that are for tools only. */
const localConfig = "config.kubernetes.io/local-config";

/**
 * Builds the kustomization in a folder: resources, components, generators, patches and transformers of every layer,
 * from the inside out. Equal to `kubectl kustomize` for what it supports; anything else is refused by name.
 *
 * Pure: nothing is read but the tree. Throws `KUSTOMIZE_…` and `YAML_…` errors.
 *
 * @param path - the folder to build, in the tree.
 * @returns the objects, in the order in which they are printed and applied.
 */
export function build(tree: FileTree, path: string): readonly Fields[] {
  const budget = new Budget();
  const layer = readLayer(Root.at(tree, path, budget));
  const list = accumulate(new ResourceList(budget), layer);
  const resources = list.all();
  addHashes(resources);
  fixReferences(resources, budget);
  return sortResources(resources, layer.kustomization.sortOptions, layer.file)
    .filter((resource) => !["true", ""].includes(resource.annotations()[localConfig] ?? "false"))
    .map(({ fields }) => fields);
}

/** One folder and what its kustomization says. */
interface Layer {
  readonly root: Root;
  readonly file: string;
  readonly kustomization: Kustomization;
}

function readLayer(root: Root): Layer {
  const file = root.kustomizationFile();
  return { root, file, kustomization: parseKustomization(root.readText(file), file) };
}

/** Adds what a layer brings, and applies its changes to everything in the list. */
function accumulate(list: ResourceList, layer: Layer): ResourceList {
  const { kustomization } = layer;
  for (const path of [...kustomization.resources, ...kustomization.bases]) addResource(list, path, layer);
  runGenerators(list, layer);
  for (const path of kustomization.components) addComponent(list, path, layer);
  transformAll(list, layer);
  return list;
}

function addResource(list: ResourceList, path: string, { root, file }: Layer): void {
  const entry = root.resolve(path);
  if (entry === undefined) throw kustomizeErrors.PATH({ file, path, problem: "no such file or directory" });
  if (entry.kind === "file") {
    list.addAll(parseResources(root.readText(path), entry.path), entry.path);
    return;
  }
  const layer = readLayer(root.enter(entry, file));
  if (layer.kustomization.kind === "Component") {
    throw kustomizeErrors.PATH({ file, path, problem: "is a Component; name it under components" });
  }
  list.addAll(accumulate(new ResourceList(root.budget), layer).all(), layer.file);
}

/** A component has no objects of its own: it changes those of the layer that names it. */
function addComponent(list: ResourceList, path: string, { root, file }: Layer): void {
  const entry = root.resolve(path);
  if (entry?.kind !== "directory") {
    const problem = entry === undefined ? "no such file or directory" : "is not directory, expected a Component";
    throw kustomizeErrors.PATH({ file, path, problem });
  }
  const layer = readLayer(root.enter(entry, file));
  if (layer.kustomization.kind !== "Component") {
    throw kustomizeErrors.PATH({ file, path, problem: "expected kind Component, found Kustomization" });
  }
  accumulate(list, layer);
}

function runGenerators(list: ResourceList, { root, file, kustomization }: Layer): void {
  const { configMapGenerator, secretGenerator, generatorOptions: options } = kustomization;
  for (const args of configMapGenerator) absorb(list, generate("ConfigMap", args, { root, options }), file);
  for (const args of secretGenerator) absorb(list, generate("Secret", args, { root, options }), file);
}

/** The changes of a layer, in kustomize's order. */
function transformAll(list: ResourceList, { root, kustomization }: Layer): void {
  for (const entry of kustomization.patchesStrategicMerge) applyStrategicEntry(list, entry, root);
  for (const entry of kustomization.patches) applyPatchEntry(list, entry, root);
  setNamespace(list, kustomization.namespace);
  addPrefix(list, kustomization.namePrefix);
  addSuffix(list, kustomization.nameSuffix);
  for (const entry of kustomization.labels) applyLabelEntry(list, entry);
  applyCommonLabels(list, kustomization.commonLabels);
  applyCommonAnnotations(list, kustomization.commonAnnotations);
  for (const entry of kustomization.patchesJson6902) applyJsonEntry(list, entry, root);
  for (const entry of kustomization.replicas) setReplicas(list, entry);
  rewriteImages(list, [...kustomization.images, ...kustomization.imageTags]);
  for (const entry of kustomization.replacements) {
    const read = entry.path === "" ? [entry] : parseReplacements(root.readText(entry.path), entry.path);
    for (const replacement of read) applyReplacement(list, replacement);
  }
}
