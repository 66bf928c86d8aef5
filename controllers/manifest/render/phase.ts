import type { ServerInfo } from "@kyma-operators/kube";
import type { Store } from "@kyma-operators/runtime";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { names } from "../../../apis/operator/names.ts";
import { parallelRequests, resourceOf } from "../apply/remote.ts";
import type { AccessSecret } from "../clusters/clusters.ts";
import { type MigrationStep, parseMigrations } from "../hooks/migrations.ts";
import { digestOf } from "../inventory/digest.ts";
import { splitApiVersion } from "../inventory/identity.ts";
import { inventoryOf, withInventory } from "../inventory/inventory.ts";
import { renderedOf } from "../inventory/plan.ts";
import type { JsonRecord } from "../json.ts";
import type { ManifestOptions } from "../options.ts";
import { inParallel } from "../parallel.ts";
import { clusterOf, next, type Pass, type Step } from "../pass.ts";
import type { Sources } from "../sources/sources.ts";
import { configRef, configValues, mergeValues } from "../sources/values.ts";
import { markTrue } from "../status.ts";
import { type FoundSecret, secretsToInject } from "../transforms/inject.ts";
import type { ScopeOf } from "../transforms/namespaces.ts";
import { transform } from "../transforms/transforms.ts";
import { requireNames } from "./documents.ts";
import { inlineValues, type Renderer, releaseNamespace } from "./renderer.ts";
import type { Capabilities, Rendering } from "./rendering.ts";

/** What the render phase needs. */
export interface RenderDependencies {
  readonly sources: Sources;
  readonly renderer: Renderer;
  /** Secrets of the control plane: where the data of injected ones comes from. */
  readonly secrets: Store<AccessSecret>;
  readonly options: ManifestOptions;
}

/** Source → objects as they shall be on the cluster. */
export async function renderWanted(pass: Pass, deps: RenderDependencies): Promise<Step> {
  const { manifest, ctx } = pass;
  const source = await deps.sources.resolve(manifest, ctx.signal);
  const input = {
    releaseName: manifest.spec.install.name,
    namespace: releaseNamespace(manifest),
    values: async () => valuesOf(pass, deps),
    capabilities: async () => capabilitiesOf(pass),
  };
  const { key, capabilities, rendering } = await deps.renderer.render(source, input, ctx.signal);
  pass.sourceKey = key;
  pass.sourceRef = source.ref;
  pass.capabilities = capabilities;
  pass.hooks = rendering.hooks;
  pass.migrations = await migrationsOf(pass, deps);
  requireNames([...rendering.objects, ...rendering.hooks.map(({ object }) => object)], source.name);
  pass.wanted = (await transformed(pass, rendering, deps)).map(renderedOf);
  pass.status = markTrue(pass.status, "Resources", pass.now);
  return next;
}

async function capabilitiesOf(pass: Pass): Promise<Capabilities> {
  return capabilitiesIn(await serverInfoOf(pass));
}

function serverInfoOf(pass: Pass): Promise<ServerInfo> {
  return clusterOf(pass).client.serverInfo({ signal: pass.ctx.signal });
}

function capabilitiesIn({ gitVersion, apiVersions }: ServerInfo): Capabilities {
  return { kubeVersion: gitVersion, apiVersions };
}

/**
 * Whether the cluster serves other kinds, or has another version, than when a chart was rendered for it. An outage of
 * an aggregated API does not count: a rendering without its kinds would delete what is installed.
 */
export async function servesOtherKinds(pass: Pass): Promise<boolean> {
  const { capabilities } = inventoryOf(pass.status);
  if (capabilities === undefined) return false;
  const info = await serverInfoOf(pass);
  return info.complete && capabilities !== digestOf(capabilitiesIn(info));
}

/** Values of the configuration layer, then those that the source itself carries. */
async function valuesOf({ manifest, ctx }: Pass, { sources }: RenderDependencies): Promise<JsonRecord> {
  const ref = configRef(manifest);
  if (ref === undefined) return inlineValues(manifest);
  const text = await sources.text(manifest, "spec.config.ref", ref, ctx.signal);
  return mergeValues(
    configValues(text, manifest.spec.install.name, `configuration layer ${ref}`),
    inlineValues(manifest),
  );
}

/** Migration steps are read only when the version changes. */
async function migrationsOf(
  { manifest, status, ctx }: Pass,
  { sources }: RenderDependencies,
): Promise<readonly MigrationStep[]> {
  const { migrations } = manifest.spec.install.source;
  if (typeof migrations !== "string" || manifest.spec.version === inventoryOf(status).version) return [];
  const text = await sources.text(manifest, "spec.install.source.migrations", migrations, ctx.signal);
  return parseMigrations(text, `migrations layer ${migrations}`);
}

async function transformed(
  pass: Pass,
  { objects }: Rendering,
  { secrets, options }: RenderDependencies,
): Promise<ReturnType<typeof transform>> {
  const wanted = options.deployerInjection ? secretsToInject(pass.manifest, objects) : [];
  return transform(objects, {
    manifest: pass.manifest,
    scopeOf: await scopesOf(pass, objects),
    ...(options.pullSecret === undefined ? {} : { pullSecret: options.pullSecret }),
    ...(wanted.length === 0 ? {} : { injected: findSecrets(secrets, wanted) }),
  });
}

/** Looks every kind up once; the client remembers, so a known kind costs no request. */
async function scopesOf(pass: Pass, objects: Rendering["objects"]): Promise<ScopeOf> {
  const kinds = new Map(objects.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, { apiVersion, kind }]));
  const { client } = clusterOf(pass);
  const scopes = await inParallel([...kinds], parallelRequests, async ([key, { apiVersion, kind }]) => {
    const resource = await resourceOf(client, { ...splitApiVersion(apiVersion), kind }, pass.ctx.signal);
    return [key, resource?.namespaced] as const;
  });
  const known = new Map(scopes);
  return (group, version, kind) => known.get(`${group === "" ? version : `${group}/${version}`}/${kind}`);
}

function findSecrets(secrets: Store<AccessSecret>, wanted: readonly string[]): ReadonlyMap<string, FoundSecret> {
  const namespace = names.controlPlaneNamespace;
  return new Map(
    wanted.map((name) => {
      const secret = secrets.get({ namespace, name });
      return [name, secret === undefined ? { problem: `secrets "${name}" not found` } : { ...secret }];
    }),
  );
}

/** Puts the finalizers on record before the first object exists. */
export async function claimManifest(
  pass: Pass,
  store: { claim(manifest: Manifest, ref: string, signal: AbortSignal): Promise<Manifest> },
): Promise<Step> {
  pass.manifest = await store.claim(pass.manifest, pass.sourceRef, pass.ctx.signal);
  return next;
}

/** Remembers a complete installation, so that the next pass has nothing to compare. */
export function recordComplete(pass: Pass): Step {
  const { fingerprint, sourceKey: source, capabilities } = pass;
  pass.status = withInventory(pass.status, { fingerprint, source, capabilities });
  return next;
}
