import { textOf } from "@kyma-operators/errors";
import { stepsFor } from "./budget.ts";
import { kustomizeErrors } from "./errors.ts";
import { formatId } from "./ids.ts";
import { childFields, type Fields, isFields, setField } from "./json.ts";
import { type Entry, readEntries } from "./key-values.ts";
import type { GeneratorArgs, GeneratorOptions } from "./kustomization.ts";
import type { Root } from "./loader.ts";
import { type Behavior, Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";

type Args = Omit<GeneratorArgs, "type"> & { readonly type?: string };
type GeneratedKind = "ConfigMap" | "Secret";

/** Makes the ConfigMap or Secret that an entry of a generator describes. */
export function generate(
  kind: GeneratedKind,
  args: Args,
  from: { readonly root: Root; readonly options: GeneratorOptions | undefined },
): Resource {
  const fail = (problem: string, cause?: unknown): Error =>
    kustomizeErrors.GENERATOR(
      { file: from.root.folder, generator: `${kind} ${args.name || "without name"}`, problem },
      cause,
    );
  if (args.name === "") throw fail("a generator needs a name");
  const options = mergedOptions(args.options, from.options);
  from.root.budget.spend(stepsFor(options));
  const resource = new Resource(objectFor(kind, args, options));
  fill(resource.fields, kind, entriesOf(args, from.root, fail));
  resource.setMetadataMap("labels", options.labels);
  resource.setMetadataMap("annotations", options.annotations);
  resource.behavior = behaviorOf(args.behavior);
  resource.needsHash = !options.disableNameSuffixHash;
  return resource;
}

/** Adds a generated object, or merges it into the one that is there, as its behavior says. */
export function absorb(list: ResourceList, generated: Resource, file: string): void {
  const [old, another] = list.withAnyId(generated.id);
  const generator = `${generated.kind} ${generated.name}`;
  if (another !== undefined) {
    throw kustomizeErrors.GENERATOR({ file, generator, problem: "found multiple objects that could accept the merge" });
  }
  if (old === undefined) {
    if (generated.behavior === "create") return list.addAll([generated], file);
    const problem = `id ${formatId(generated.id)} does not exist; cannot merge or replace`;
    throw kustomizeErrors.GENERATOR({ file, generator, problem });
  }
  if (generated.behavior === "create") {
    const problem = `id ${formatId(generated.id)} exists; behavior must be merge or replace`;
    throw kustomizeErrors.GENERATOR({ file, generator, problem });
  }
  succeed(old, generated);
}

/** An old object takes what was generated: its names and marks stay, the content is merged or new. */
function succeed(old: Resource, generated: Resource): void {
  generated.setMetadataMap("labels", { ...old.labels(), ...generated.labels() });
  generated.setMetadataMap("annotations", { ...old.annotations(), ...generated.annotations() });
  generated.name = old.name;
  if (old.namespace !== "") generated.namespace = old.namespace;
  if (generated.behavior === "merge") {
    for (const field of ["data", "binaryData"]) mergeMap(generated.fields, field, old.fields[field]);
  }
  old.fields = generated.fields;
}

function mergeMap(fields: Fields, field: string, old: unknown): void {
  if (!isFields(old)) return;
  for (const [key, value] of Object.entries(fields[field] ?? {})) setField(old, key, value);
  fields[field] = old;
}

function objectFor(kind: GeneratedKind, args: Args, options: GeneratorOptions): Fields {
  const { name, namespace, type } = args;
  return {
    apiVersion: "v1",
    kind,
    metadata: { name, ...(namespace === "" ? {} : { namespace }) },
    ...(kind === "Secret" ? { data: {}, type: type === undefined || type === "" ? "Opaque" : type } : {}),
    ...(options.immutable ? { immutable: true } : {}),
  };
}

function entriesOf(args: Args, root: Root, fail: (problem: string, cause?: unknown) => Error): readonly Entry[] {
  let entries: readonly Entry[];
  try {
    entries = readEntries(args, root);
  } catch (error) {
    throw fail(textOf(error), error);
  }
  const seen = new Set<string>();
  for (const { key } of entries) {
    if (seen.has(key)) throw fail(`configmap ${args.name} illegally repeats the key \`${key}\``);
    seen.add(key);
  }
  return entries;
}

function fill(fields: Fields, kind: GeneratedKind, entries: readonly Entry[]): void {
  for (const { key, bytes } of entries) {
    const readable = textIn(bytes);
    if (kind === "Secret") put(fields, "data", key, base64(bytes));
    else if (readable === undefined) put(fields, "binaryData", key, base64(bytes));
    else put(fields, "data", key, readable);
  }
}

function put(fields: Fields, field: string, key: string, value: string): void {
  setField(childFields(fields, field), key, value);
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const lineLength = 70;

/** Base64 in lines of 70 characters; a single line has no line feed. */
function base64(bytes: Uint8Array): string {
  const encoded = Buffer.from(bytes).toString("base64");
  const lines = encoded.match(new RegExp(`.{1,${lineLength}}`, "g")) ?? [];
  return encoded.length < lineLength ? encoded : `${lines.join("\n")}\n`;
}

/** The entry's own options first, then those of the kustomization. */
function mergedOptions(own: GeneratorOptions | undefined, global: GeneratorOptions | undefined): GeneratorOptions {
  return {
    labels: { ...global?.labels, ...own?.labels },
    annotations: { ...global?.annotations, ...own?.annotations },
    disableNameSuffixHash: [own, global].some((options) => options?.disableNameSuffixHash),
    immutable: [own, global].some((options) => options?.immutable),
  };
}

function behaviorOf(text: string): Behavior {
  return text === "merge" || text === "replace" ? text : "create";
}
