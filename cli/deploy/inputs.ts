import { dirname, isAbsolute, join, resolve } from "node:path";
import type { AnyObject } from "@kyma-operators/kube";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { productRoot } from "../../local/product-files.ts";
import type { Io } from "../io.ts";
import { diskTree } from "../kustomize-files.ts";
import type { Wanted } from "../module/edit.ts";
import { download, isUrl } from "../system-download.ts";
import { buildAccess } from "./access.ts";
import { deployErrors } from "./errors.ts";
import { parseModuleFlag, resolveVersion } from "./kyma.ts";
import { asObject, isFileReference, type ListedResource, type ModuleList, parseModuleList } from "./module-list.ts";
import type { ModuleResources } from "./module-resources.ts";
import { buildKyma, type DeployPlan, planObjects } from "./objects.ts";
import { buildSetup, type SetupInput } from "./setup.ts";

export interface DeployFlags {
  readonly file?: string;
  readonly module: readonly string[];
  readonly template: readonly string[];
  readonly kustomization: readonly string[];
  readonly image?: string;
  readonly version?: string;
  readonly channel?: string;
  readonly namespace: string;
  readonly kymaName: string;
  readonly kymaCr?: string;
  readonly domain?: string;
  readonly profile?: "evaluation" | "production";
  readonly registry: string;
  readonly registrySecret?: string;
  readonly wildcardPermissions: boolean;
}

/** Everything that flags and files say, before a cluster is asked. */
export interface DeployInputs {
  readonly plan: DeployPlan;
  /** Set by flag or file. */
  readonly channel: string | undefined;
  readonly resources: readonly ModuleResources[];
  /** The modules wanted, with channels for versions. */
  readonly modules: readonly Wanted[];
  /** Those of the files, then those of the cluster. */
  readonly releases: readonly ModuleReleaseMeta[];
}

/**
 * Reads all files and builds all objects.
 *
 * @param stored - releases that a cluster has, for modules that are named by their version.
 */
export async function readInputs(
  io: Io,
  flags: DeployFlags,
  stored: readonly ModuleReleaseMeta[] = [],
): Promise<DeployInputs> {
  const list = flags.file === undefined ? undefined : await readList(io, flags.file);
  const templates = await readTemplates(io, flags, list);
  const releases = [...templates.filter(isRelease), ...stored];
  const channel = list?.channel ?? flags.channel;
  const modules = wantedModules(flags, list, releases);
  const kyma = await kymaFor(io, flags, { channel, modules });
  const plan = planObjects({
    setup: buildSetup(productRoot(), diskTree(), setupInput(io, flags)),
    access: buildAccess({ ...flags, kymaName: kyma.metadata.name ?? "" }),
    templates,
    kyma,
  });
  return { plan, channel, modules, releases, resources: await readResources(io, flags, list) };
}

function setupInput(io: Io, { kustomization, ...flags }: DeployFlags): SetupInput {
  return { ...flags, kustomizations: kustomization.map((folder) => resolve(io.cwd, folder)) };
}

async function readList(io: Io, file: string): Promise<ModuleList> {
  return parseModuleList(await io.files.readText(file), file);
}

/** Entries of the file first; a flag for the same module adds to its entry. */
function wantedModules(
  { module: flags }: DeployFlags,
  list: ModuleList | undefined,
  releases: readonly ModuleReleaseMeta[],
): readonly Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const flag of flags) {
    const one = resolveVersion(parseModuleFlag(flag), releases);
    wanted.set(one.name, one);
  }
  const listed = (list?.modules ?? []).map(({ name, channel, customResourcePolicy: policy, managed }): Wanted => {
    const flagged = wanted.get(name);
    wanted.delete(name);
    return {
      ...flagged,
      name,
      ...(channel === undefined ? {} : { channel }),
      ...(policy === undefined ? {} : { policy }),
      ...(managed === undefined ? {} : { managed }),
    };
  });
  return [...listed, ...wanted.values()];
}

async function kymaFor(
  io: Io,
  flags: DeployFlags,
  { channel, modules }: { readonly channel: string | undefined; readonly modules: readonly Wanted[] },
): Promise<Kyma> {
  const listed = modules.map(({ policy, ...module }) => ({
    ...module,
    ...(policy === undefined ? {} : { customResourcePolicy: policy }),
  }));
  const { kymaName: name, namespace, domain, kymaCr } = flags;
  const built = buildKyma({ name, namespace, channel, domain, modules: listed });
  return kymaCr === undefined ? built : givenKyma(await readObjects(io, kymaCr), kymaCr, built);
}

/** The Kyma of the file, in the namespace of the setup, with the channel and the modules of flags beside its own. */
function givenKyma(found: readonly AnyObject[], source: string, built: Kyma): Kyma {
  const [object] = found;
  if (found.length !== 1 || object?.kind !== "Kyma" || object.apiVersion !== built.apiVersion) {
    const kinds = found.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`).join(", ") || "nothing";
    throw deployErrors.OBJECT_UNEXPECTED({ source, expected: `one ${built.apiVersion} Kyma`, found: kinds });
  }
  const given = object as unknown as Kyma;
  const own = given.spec.modules ?? [];
  const added = (built.spec.modules ?? []).filter(({ name }) => !own.some((module) => module.name === name));
  return {
    ...given,
    metadata: {
      ...given.metadata,
      namespace: built.metadata.namespace ?? "",
      labels: { ...built.metadata.labels, ...given.metadata.labels },
      annotations: { ...built.metadata.annotations, ...given.metadata.annotations },
    },
    spec: { ...given.spec, modules: [...own, ...added] },
  };
}

async function readTemplates(
  io: Io,
  { template, namespace, file = "" }: DeployFlags,
  list: ModuleList | undefined,
): Promise<readonly AnyObject[]> {
  const listed = (list?.modules ?? []).flatMap(({ template: own }) =>
    own === undefined ? [] : [besideFile(own, file)],
  );
  const objects: AnyObject[] = [];
  for (const source of [...template, ...listed]) {
    for (const object of await readObjects(io, source)) {
      if (object.kind !== "ModuleTemplate" && object.kind !== "ModuleReleaseMeta") {
        const expected = "ModuleTemplates and ModuleReleaseMetas";
        throw deployErrors.OBJECT_UNEXPECTED({ source, expected, found: object.kind });
      }
      objects.push({ ...object, metadata: { ...object.metadata, namespace } });
    }
  }
  return objects;
}

async function readResources(
  io: Io,
  { file = "" }: DeployFlags,
  list: ModuleList | undefined,
): Promise<readonly ModuleResources[]> {
  const resources: ModuleResources[] = [];
  for (const { name: module, resources: listed } of list?.modules ?? []) {
    const objects: AnyObject[] = [];
    for (const resource of listed) objects.push(...(await readResource(io, resource, file)));
    if (objects.length > 0) resources.push({ module, objects });
  }
  return resources;
}

async function readResource(io: Io, resource: ListedResource, list: string): Promise<readonly AnyObject[]> {
  if (!isFileReference(resource)) return [asObject(resource)];
  return readObjects(io, besideFile(resource.file, list));
}

/** A path of the list begins at its folder. */
function besideFile(path: string, list: string): string {
  return isUrl(path) || isAbsolute(path) ? path : join(dirname(list), path);
}

/** The objects of a YAML file or address. Throws `DEPLOY_OBJECT_UNEXPECTED` for documents that are no objects. */
async function readObjects(io: Io, source: string): Promise<readonly AnyObject[]> {
  const bytes = isUrl(source) ? await download(source, io.signal) : await io.files.read(source);
  const documents = parseYamlDocuments(new TextDecoder().decode(bytes), { name: source });
  return documents.filter((document) => document !== null).map((document) => objectIn(document, source));
}

function objectIn(document: unknown, source: string): AnyObject {
  const { apiVersion, kind, metadata } = document as Partial<AnyObject>;
  if (typeof apiVersion === "string" && typeof kind === "string" && typeof metadata?.name === "string") {
    return document as AnyObject;
  }
  const expected = "objects with apiVersion, kind and metadata.name";
  throw deployErrors.OBJECT_UNEXPECTED({ source, expected, found: JSON.stringify(document).slice(0, 80) });
}

function isRelease(object: AnyObject): object is AnyObject & ModuleReleaseMeta {
  return object.kind === "ModuleReleaseMeta";
}
