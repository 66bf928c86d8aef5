import { hasCode } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { getComponentVersion, repositoryFor, versionOfTag } from "@kyma-operators/ocm";
import type { RegistryClient } from "oras-js";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { nearestNames } from "../../modules/nearest.ts";
import { type RegistryFlags, withRegistry } from "../component/registry.ts";
import type { Io } from "../io.ts";
import { templatesOfComponent } from "../module/create/from-component.ts";
import { moduleErrors } from "../module/errors.ts";
import { highestVersion } from "../semantic-version.ts";
import { sourceAnnotation } from "./objects.ts";
import type { ModuleFlag } from "./wanted-modules.ts";

/** The source of objects that were made from a component in a registry, and may be made anew from a newer one. */
const fromRegistry = "registry";

export interface RegistryModules {
  readonly modules: readonly ModuleFlag[];
  /** Of modules that name none. */
  readonly channel: string;
  /** Releases of the files: these modules need none from the registry. */
  readonly given: readonly ModuleReleaseMeta[];
  /** Releases of the cluster. */
  readonly stored: readonly ModuleReleaseMeta[];
  readonly registry: string;
  readonly namespace: string;
}

/**
 * Makes ModuleTemplate and ModuleReleaseMeta of the wanted modules that nobody else releases, from their components in
 * the registry: in the version that was asked for, else the highest stable one. Throws `MODULE_UNKNOWN_MODULE` for one
 * that the registry has not either.
 */
export async function generateTemplates(
  io: Io,
  flags: RegistryFlags,
  wish: RegistryModules,
): Promise<readonly AnyObject[]> {
  const open = wish.modules.filter((module) => needsTemplate(module, wish));
  if (open.length === 0) return [];
  return withRegistry(io, flags, async (client) => {
    const objects: AnyObject[] = [];
    for (const module of open) objects.push(...(await templatesOf({ io, client }, module, wish)));
    return objects;
  });
}

function needsTemplate(module: ModuleFlag, { given, stored }: RegistryModules): boolean {
  if (releaseOf(module, given) !== undefined) return false;
  const release = releaseOf(module, stored);
  return release === undefined || release.metadata.annotations?.[sourceAnnotation] === fromRegistry;
}

function releaseOf({ name }: ModuleFlag, releases: readonly ModuleReleaseMeta[]): ModuleReleaseMeta | undefined {
  return releases.find(({ spec }) => spec.moduleName === name);
}

interface Source {
  readonly io: Io;
  readonly client: RegistryClient;
}

async function templatesOf(source: Source, module: ModuleFlag, wish: RegistryModules): Promise<readonly AnyObject[]> {
  const former = releaseOf(module, wish.stored);
  if (former === undefined) refuseMistyped(module, wish);
  const component = module.component ?? former?.spec.ocmComponentName ?? `kyma-project.io/module/${module.name}`;
  const version = await versionOf(source, { ...module, component }, wish);
  const where = { baseUrl: wish.registry };
  const { signal } = source.io;
  const found = await getComponentVersion(source.client, where, { name: component, version }, { signal });
  const own = module.channel ?? wish.channel;
  const others = (former?.spec.channels ?? []).filter(({ channel }) => channel !== own);
  const made = await templatesOfComponent({ client: source.client, found, signal }, [own]);
  return (made as unknown as readonly AnyObject[]).map((object) =>
    marked(object, { namespace: wish.namespace, channels: [...others, { channel: own, version }] }),
  );
}

/** A name that is nearly one of the cluster's is no new module. */
function refuseMistyped({ name: module, component }: ModuleFlag, { given, stored }: RegistryModules): void {
  const known = [...given, ...stored].map(({ spec }) => spec.moduleName);
  const [near] = component === undefined ? nearestNames(module, known) : [];
  if (near !== undefined) throw moduleErrors.UNKNOWN_MODULE({ module, near, known });
}

async function versionOf(
  { io, client }: Source,
  { name: module, component, version }: ModuleFlag & { readonly component: string },
  { registry, given, stored }: RegistryModules,
): Promise<string> {
  if (version !== undefined) return version;
  const tags = await listTags(client, registry, component, io.signal);
  const highest = highestVersion(tags.map(versionOfTag));
  if (highest !== undefined) return highest;
  const known = [...given, ...stored].map(({ spec }) => spec.moduleName);
  throw moduleErrors.NOT_IN_REGISTRY({ module, component, registry, known });
}

async function listTags(
  client: RegistryClient,
  registry: string,
  component: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    return await client.listTags(repositoryFor({ baseUrl: registry }, component), { signal });
  } catch (error) {
    if (hasCode(error, "OCI_NOT_FOUND")) return [];
    throw error;
  }
}

function marked(
  { metadata, ...object }: AnyObject,
  release: { readonly namespace: string; readonly channels: ModuleReleaseMeta["spec"]["channels"] },
): AnyObject {
  const { namespace, channels } = release;
  const annotations = { ...metadata.annotations, [sourceAnnotation]: fromRegistry };
  const spec = object["spec"] as Readonly<Record<string, unknown>>;
  return {
    ...object,
    metadata: { ...metadata, namespace, annotations },
    spec: object.kind === "ModuleReleaseMeta" ? { ...spec, channels } : spec,
  };
}
