import { hasCode } from "@kyma-operators/errors";
import type { AnyObject, Client, Resource } from "@kyma-operators/kube";
import { fieldManagers, finalizers } from "../../apis/operator/finalizers.ts";
import { type Manifest, ownsModuleResource } from "../../apis/operator/manifest.ts";
import { observe, resourceOf } from "./apply/remote.ts";
import { isNotFound } from "./clusters/error-classes.ts";
import { manifestErrors } from "./errors.ts";
import { splitApiVersion } from "./inventory/identity.ts";
import { clusterOf, next, type Pass, type Step, wait } from "./pass.ts";
import { markTrue } from "./status.ts";
import type { ManifestStore } from "./store.ts";

const kindWaitMs = 250;

/**
 * Creates the default module CR once. It is never changed and never created again: what users do with it, deletion
 * included, is theirs.
 */
export async function ensureModuleCR(pass: Pass, store: ManifestStore): Promise<Step> {
  if (!ownsModuleResource(pass.manifest)) return next;
  pass.manifest = await store.claimModuleResource(pass.manifest, pass.ctx.signal);
  if (isCreated(pass)) return next;

  const object = moduleCROf(pass.manifest);
  if (object === undefined) return next;
  const { client } = clusterOf(pass);
  const resource = await resourceOf(client, refParts(object), pass.ctx.signal);
  // Its CRD has just been applied; the API server needs a moment to serve it.
  if (resource === undefined) return waitForKind(pass, object);
  await createOnce(client, resource, object, pass.ctx.signal);
  pass.status = markTrue(pass.status, "ModuleCR", pass.now);
  return next;
}

/** The default module CR as the Manifest describes it. */
export function moduleCROf(manifest: Manifest): AnyObject | undefined {
  const { resource } = manifest.spec;
  if (resource === undefined || resource === null) return undefined;
  return { ...resource, metadata: { ...resource.metadata } };
}

function isCreated(pass: Pass): boolean {
  return pass.status.conditions?.some(({ type, status }) => type === "ModuleCR" && status === "True") === true;
}

async function createOnce(client: Client, resource: Resource, object: AnyObject, signal: AbortSignal): Promise<void> {
  const { namespace, ...metadata } = object.metadata;
  const placed = resource.namespaced ? { ...metadata, namespace: namespace ?? "default" } : metadata;
  try {
    await client.create(
      resource,
      { ...object, metadata: placed },
      { fieldManager: fieldManagers.moduleResource, signal },
    );
  } catch (error) {
    if (!hasCode(error, "KUBE_ALREADY_EXISTS")) throw error;
  }
}

function waitForKind(pass: Pass, object: AnyObject): Step {
  const defines = pass.status.synced?.some(({ kind }) => kind === "CustomResourceDefinition") === true;
  if (defines) return wait("manifest_sync_state", kindWaitMs);
  const { apiVersion, kind } = object;
  throw manifestErrors.MODULE_CR_KIND({ apiVersion, kind });
}

/** What stands between a Manifest and its deletion on the remote cluster. */
export interface ModuleCRs {
  /** Objects of the module's kind that users made, and the default one where it is not ours. */
  readonly others: readonly AnyObject[];
  /** The default module CR, when it is ours to delete and still there. */
  readonly own: AnyObject | undefined;
}

/**
 * Finds all objects of the default CR's group and kind, in all namespaces, by whatever version the cluster serves.
 *
 * A kind that is no longer served has no objects. Any other failure is thrown: taking it for "none left" would lose
 * users' data.
 */
export async function findModuleCRs(pass: Pass): Promise<ModuleCRs> {
  const wanted = moduleCROf(pass.manifest);
  if (wanted === undefined) return { others: [], own: undefined };
  const { client } = clusterOf(pass);
  const resource = await servedResource(client, wanted, pass.ctx.signal);
  if (resource === undefined) return { others: [], own: undefined };
  const objects = await listAll(client, resource, pass.ctx.signal);
  const isDefault = (object: AnyObject): boolean => isSameCR(object, wanted, resource);
  if (!ownsModuleResource(pass.manifest)) return { others: objects, own: undefined };
  return { others: objects.filter((object) => !isDefault(object)), own: objects.find(isDefault) };
}

async function listAll(client: Client, resource: Resource, signal: AbortSignal): Promise<readonly AnyObject[]> {
  try {
    return (await client.list(resource, { metadataOnly: true, signal })).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw manifestErrors.MODULE_CRS_UNKNOWN({ kind: resource.kind }, error);
  }
}

/** The version the CR names, or any other that the cluster serves of the same kind. */
async function servedResource(client: Client, object: AnyObject, signal: AbortSignal): Promise<Resource | undefined> {
  const parts = refParts(object);
  const exact = await resourceOf(client, parts, signal);
  if (exact !== undefined) return exact;
  const { apiVersions } = await client.serverInfo({ signal });
  const others = apiVersions.filter((served) => {
    const { group, version } = splitApiVersion(served);
    return group === parts.group && version !== parts.version && !version.includes("/");
  });
  for (const served of others) {
    const found = await resourceOf(client, { ...splitApiVersion(served), kind: object.kind }, signal);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isSameCR(object: AnyObject, wanted: AnyObject, resource: Resource): boolean {
  const sameName = object.metadata.name === wanted.metadata.name;
  return sameName && (!resource.namespaced || object.metadata.namespace === (wanted.metadata.namespace ?? "default"));
}

function refParts(object: AnyObject): { readonly group: string; readonly version: string; readonly kind: string } {
  return { ...splitApiVersion(object.apiVersion), kind: object.kind };
}

/** Takes the CR's finalizer from the Manifest once the CR is gone. */
export async function releaseModuleCR(pass: Pass, store: ManifestStore): Promise<void> {
  pass.manifest = await store.dropFinalizers(pass.manifest, [finalizers.moduleResource], pass.ctx.signal);
}

/** The live default CR, for readiness by its state. */
export async function observeModuleCR(pass: Pass): Promise<AnyObject | undefined> {
  const wanted = moduleCROf(pass.manifest);
  if (wanted === undefined) return undefined;
  const { namespace = "", name = "" } = wanted.metadata;
  return observe(clusterOf(pass).client, { ...refParts(wanted), namespace, name }, pass.ctx.signal);
}
