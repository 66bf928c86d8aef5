import { dirname, isAbsolute, join } from "node:path";
import type { AnyObject } from "@kyma-operators/kube";
import { defaultChannel, type Kyma } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { productRoot } from "../../local/product-files.ts";
import type { RegistryFlags } from "../component/registry.ts";
import type { Io } from "../io.ts";
import { diskTree } from "../kustomize-files.ts";
import type { Wanted } from "../module/edit.ts";
import { buildAccess } from "./access.ts";
import { type ClusterFacts, unknownCluster } from "./cluster-type.ts";
import { buildConfiguration } from "./configuration.ts";
import { deployErrors } from "./errors.ts";
import { givenKyma } from "./given-kyma.ts";
import { readBases } from "./kustomization-source.ts";
import { asObject, isFileReference, type ListedResource, type ModuleList, parseModuleList } from "./module-list.ts";
import type { ModuleResources } from "./module-resources.ts";
import { buildKyma, type DeployPlan, planObjects } from "./objects.ts";
import { isRemote, readObjects } from "./read-objects.ts";
import { generateTemplates } from "./registry-modules.ts";
import { buildSetup, overlayFolder, remoteRole } from "./setup.ts";
import { buildOf, readTls, type SetupFlags, type TlsFlags } from "./setup-flags.ts";
import { mergeValues, type TlsPair } from "./values.ts";
import { readValuesFiles } from "./values-files.ts";
import { type ModuleFlag, resolveVersion, wantedModules } from "./wanted-modules.ts";

export interface DeployFlags extends RegistryFlags, SetupFlags, TlsFlags {
  readonly file?: string;
  readonly module: readonly string[];
  readonly template: readonly string[];
  readonly channel?: string;
  readonly kymaName: string;
  readonly kymaCr?: string;
  readonly domain?: string;
  readonly value: readonly string[];
  readonly valuesFile: readonly string[];
  readonly wildcardPermissions?: boolean;
}

/** What a cluster says before objects can be built for it. */
export interface KnownCluster {
  readonly cluster: ClusterFacts;
  /** Releases that it has. */
  readonly releases: readonly ModuleReleaseMeta[];
  /** Channel of the Kyma that is there. */
  readonly channel?: string | undefined;
}

/** Without a cluster nothing is known. */
const nowhere: KnownCluster = { cluster: unknownCluster, releases: [] };

/** Everything that flags and files say. */
export interface DeployInputs {
  readonly plan: DeployPlan;
  /** Set by flag or file. */
  readonly channel: string | undefined;
  readonly resources: readonly ModuleResources[];
  /** The modules wanted, with channels for versions. */
  readonly modules: readonly Wanted[];
  /** Those of the files and the registry, then those of the cluster. */
  readonly releases: readonly ModuleReleaseMeta[];
}

/** Reads all files and builds all objects. Modules that nobody releases are looked for in the registry. */
export async function readInputs(io: Io, flags: DeployFlags, known: KnownCluster = nowhere): Promise<DeployInputs> {
  const list = flags.file === undefined ? undefined : parseModuleList(await io.files.readText(flags.file), flags.file);
  const asked = wantedModules(flags.module, list);
  const channel = list?.channel ?? flags.channel;
  const templates = await readTemplates(io, flags, { list, asked, known, channel });
  const releases = [...templates.filter(isRelease), ...known.releases];
  const modules = asked.map((module) => resolveVersion(module, releases));
  const tls = await readTls(io, flags);
  const kyma = await kymaFor(io, flags, { channel, modules, domain: flags.domain ?? known.cluster.domain });
  const root = productRoot();
  const bases = await readBases(io, flags.kustomization, overlayFolder(root));
  const kymaName = kyma.metadata.name ?? "";
  const disk = diskTree();
  const { namespace, wildcardPermissions = false } = flags;
  const plan = planObjects({
    setup: buildSetup(root, disk, { ...flags, ...buildOf(io, flags, bases) }),
    access: buildAccess({ namespace, kymaName, wildcardPermissions, role: remoteRole(root, disk) }),
    configuration: await configurationFor(io, flags, { kymaName, list, tls, cluster: known.cluster }),
    templates,
    kyma,
  });
  return { plan, channel, modules, releases, resources: await readResources(io, flags, list) };
}

async function configurationFor(
  io: Io,
  { namespace, domain, value, valuesFile }: DeployFlags,
  given: {
    readonly kymaName: string;
    readonly list: ModuleList | undefined;
    readonly tls: TlsPair | undefined;
    readonly cluster: ClusterFacts;
  },
): Promise<readonly AnyObject[]> {
  const { kymaName, list, tls, cluster } = given;
  const files = await readValuesFiles(io, list, valuesFile);
  const values = mergeValues({ cluster, files, set: value, domain, tls });
  return buildConfiguration({ namespace, kymaName, cluster, domain, tls, values });
}

async function kymaFor(
  io: Io,
  { kymaName: name, namespace, kymaCr }: DeployFlags,
  { channel, modules, domain }: Pick<DeployInputs, "channel" | "modules"> & { readonly domain: string | undefined },
): Promise<Kyma> {
  const listed = modules.map(({ policy, ...module }) => ({
    ...module,
    ...(policy === undefined ? {} : { customResourcePolicy: policy }),
  }));
  const built = buildKyma({ name, namespace, channel, domain, modules: listed });
  return kymaCr === undefined ? built : givenKyma(await readObjects(io, kymaCr), kymaCr, built);
}

interface TemplateWish {
  readonly list: ModuleList | undefined;
  readonly asked: readonly ModuleFlag[];
  readonly known: KnownCluster;
  readonly channel: string | undefined;
}

async function readTemplates(
  io: Io,
  flags: DeployFlags,
  { list, asked, known, channel }: TemplateWish,
): Promise<readonly AnyObject[]> {
  const { template, namespace, registry, file = "" } = flags;
  const listed = (list?.modules ?? []).flatMap(({ template: own }) =>
    own === undefined ? [] : [besideFile(own, file)],
  );
  const objects: AnyObject[] = [];
  for (const source of [...template, ...listed]) {
    for (const object of await readObjects(io, source, flags)) {
      if (object.kind !== "ModuleTemplate" && object.kind !== "ModuleReleaseMeta") {
        const expected = "ModuleTemplates and ModuleReleaseMetas";
        throw deployErrors.OBJECT_UNEXPECTED({ source, expected, found: object.kind });
      }
      objects.push({ ...object, metadata: { ...object.metadata, namespace } });
    }
  }
  const generated = await generateTemplates(io, flags, {
    modules: asked,
    channel: channel ?? known.channel ?? defaultChannel,
    given: objects.filter(isRelease),
    stored: known.releases,
    registry,
    namespace,
  });
  return [...objects, ...generated];
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
  return isRemote(path) || isAbsolute(path) ? path : join(dirname(list), path);
}

function isRelease(object: AnyObject): object is AnyObject & ModuleReleaseMeta {
  return object.kind === "ModuleReleaseMeta";
}
