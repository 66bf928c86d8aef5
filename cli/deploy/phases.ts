import type { AnyObject } from "@kyma-operators/kube";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import { findKyma } from "../module/kyma-access.ts";
import type { World } from "../poll.ts";
import type { Say, Steps } from "../progress/steps.ts";
import { checkRights } from "../rights.ts";
import { certManagerObjects, ensureCertManager } from "./cert-manager.ts";
import { checkCrds } from "./check-crds.ts";
import { differenceLines, type Trial, trialLine, tryAll } from "./difference.ts";
import { deployErrors } from "./errors.ts";
import type { DeployInputs } from "./inputs.ts";
import { awaitKyma, checkModules, checkOwner, type KymaWish, mergeKyma, readKymas, writeKyma } from "./kyma.ts";
import { ensureLocalCertificate } from "./local-certificate.ts";
import { applyModuleResources } from "./module-resources.ts";
import { appliedAnnotation, isNamespace, objectsOf } from "./objects.ts";
import { checkFound, checkRegistrySecret, type Found, imageVersion, readFound } from "./preflight.ts";
import { awaitDeployment } from "./rollout.ts";
import { fillAccess } from "./runtime-token.ts";
import { operator } from "./setup.ts";
import { applyAll, awaitEstablished, type WriteFlags } from "./write.ts";

export interface PhaseFlags extends WriteFlags {
  readonly namespace: string;
  readonly clusterAddress?: string;
  /** How this command reaches the cluster. */
  readonly reachedAt?: string;
  readonly force?: boolean;
  readonly pruneModules?: boolean;
  readonly certManager?: string;
  readonly domain?: string;
  readonly kustomization: readonly string[];
  readonly registrySecret?: string;
}

/** What a dry run prints: the objects as YAML documents, or as one JSON list. */
export function planText({ plan }: DeployInputs, output: "text" | "json"): string {
  const items = objectsOf(plan);
  if (output === "text") return formatYamlDocuments(items);
  return `${JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 2)}\n`;
}

/** What a deployment would change on the cluster. */
export async function printDifference(world: World, deployment: Deployment, flags: PhaseFlags): Promise<void> {
  const lines = differenceLines(await trials(world, deployment, { ...flags, forceConflicts: true }));
  world.io.stdout.write(lines.length === 0 ? "no change\n" : `${lines.join("\n")}\n`);
}

/** What the API server says to every object of a deployment, without keeping it. */
export async function printTrials(world: World, deployment: Deployment, flags: PhaseFlags): Promise<void> {
  await preflight(world, deployment, flags, () => undefined);
  for (const trial of await trials(world, deployment, flags)) world.io.stdout.write(`${trialLine(trial)}\n`);
}

async function trials(
  world: World,
  { inputs }: Deployment,
  { forceConflicts: force = false, pruneModules = false, certManager = "" }: PhaseFlags,
): Promise<readonly Trial[]> {
  const { plan } = inputs;
  const { own, copy } = await readKymas(world, plan.kyma);
  const spec = mergeKyma(copy ?? own, wishOf(inputs, pruneModules));
  const planned = objectsOf(plan).map((object) => (object.kind === "Kyma" ? { ...object, spec } : object));
  // The kubeconfig of the access Secret is made on the cluster and is not compared.
  const compared = planned.filter((object) => object !== accessSecretIn(plan.access));
  const others = certManager === "" ? [] : await certManagerObjects(world, certManager);
  return tryAll(world.client, [...others, ...compared], { force, signal: world.io.signal });
}

/** What is wanted, and what the cluster had before. */
export interface Deployment {
  readonly inputs: DeployInputs;
  readonly found: Found;
}

/** All phases of a deployment, each of which can be run again. */
export async function deploy(world: World, deployment: Deployment, flags: PhaseFlags, steps: Steps): Promise<void> {
  const { inputs } = deployment;
  const { plan } = inputs;
  const wish = await steps.run("preflight", (say) => preflight(world, deployment, flags, say));
  const namespaces = plan.operator.filter(isNamespace);
  await steps.run("CRDs", async (say) => {
    await applyAll(world, [...namespaces, ...plan.crds], flags, say);
    await awaitEstablished(world, plan.crds, say);
  });
  const { certManager = "" } = flags;
  if (certManager !== "") {
    await steps.run("cert-manager", (say) => ensureCertManager(world, certManager, flags, say));
  }
  await steps.run("operator", async (say) => {
    await applyAll(world, plan.operator, flags, say);
    await applyAccess(world, deployment, flags, say);
    await awaitDeployment(world, { namespace: flags.namespace, name: operator.name }, say);
  });
  if (plan.configuration.length > 0) {
    await steps.run("configuration", (say) => applyConfiguration(world, deployment, flags, say));
  }
  await steps.run("module templates", (say) => applyAll(world, plan.templates, flags, say));
  await steps.run("Kyma", () => writeKyma(world, wish, flags.journal));
  await steps.run("modules", async (say) => {
    const awaited = { kyma: wish.object, releases: inputs.releases };
    await applyModuleResources(world, awaited, { resources: inputs.resources, flags }, say);
    await awaitKyma(world, awaited, say);
  });
}

/** Checks that the user may write every object of the plan. Throws `RIGHTS_MISSING`. */
export async function checkPlannedRights({ client, io }: World, plan: DeployInputs["plan"]): Promise<void> {
  await checkRights(client, objectsOf(plan), { verbs: ["get", "create", "patch"], signal: io.signal });
}

async function preflight(
  world: World,
  { inputs, found }: Deployment,
  flags: PhaseFlags,
  say: (text: string) => void,
): Promise<KymaWish> {
  const { client, io } = world;
  const { plan, releases } = inputs;
  const deployment = plan.operator.find(
    ({ kind, metadata }) => metadata.name === operator.name && kind === "Deployment",
  );
  await checkFound(io, found, { wanted: imageVersion(deployment), force: flags.force ?? false });
  const manifests = flags.kustomization;
  await checkCrds(client, plan.crds, { manifests, signal: io.signal });
  await checkPlannedRights(world, plan);
  await checkRegistrySecret(client, flags, io.signal);
  const wish = wishOf(inputs, flags.pruneModules ?? false);
  const { own, copy } = await readKymas(world, plan.kyma);
  if (flags.forceConflicts !== true) checkOwner(own, wish);
  checkModules(wish, copy ?? own, releases);
  const applied = (kyma: { metadata: { annotations?: Record<string, string> } } | undefined): string =>
    kyma?.metadata.annotations?.[appliedAnnotation] ?? "";
  if (applied(own) === applied(plan.kyma)) say("this deployment was applied before: only what differs is written");
  return wish;
}

function wishOf({ plan, channel, modules }: DeployInputs, prune: boolean): KymaWish {
  return { object: plan.kyma, channel, modules, prune };
}

function accessSecretIn(access: readonly AnyObject[]): AnyObject | undefined {
  return access.find(({ kind, type }) => kind === "Secret" && type === "Opaque");
}

/** Pods of an embedded server are processes beside it, which no cluster DNS serves. */
function addressFor({ found }: Deployment, { clusterAddress, reachedAt }: PhaseFlags): string {
  const own = found.cluster.type === "embedded" ? reachedAt : undefined;
  return clusterAddress ?? own ?? "https://kubernetes.default.svc";
}

async function applyAccess(world: World, deployment: Deployment, flags: PhaseFlags, say: Say): Promise<void> {
  const { plan } = deployment.inputs;
  const secret = accessSecretIn(plan.access);
  await applyAll(
    world,
    plan.access.filter((object) => object !== secret),
    flags,
    say,
  );
  const { namespace } = flags;
  const where = { namespace, kymaName: plan.kyma.metadata.name ?? "", server: addressFor(deployment, flags) };
  // The operator has renewed the token since, so the field may be its own.
  await applyAll(world, [await fillAccess(world, where, say)], { ...flags, forceConflicts: true }, say);
}

async function applyConfiguration(
  world: World,
  { inputs, found }: Deployment,
  flags: PhaseFlags,
  say: Say,
): Promise<void> {
  await applyAll(world, inputs.plan.configuration, flags, say);
  const { type, domain } = found.cluster;
  if (type === "k3d" && domain !== undefined && flags.domain === undefined) {
    await ensureLocalCertificate(world, domain, flags, say);
  }
}

/** Watches what another run has begun; writes nothing. */
export async function attach(
  world: World,
  flags: { readonly namespace: string; readonly kymaName: string },
  steps: Steps,
): Promise<void> {
  const { client, io } = world;
  const { namespace, kymaName } = flags;
  const { operator: deployment, releases } = await readFound(client, flags, io.signal);
  if (deployment === undefined) throw deployErrors.NOT_DEPLOYED({ namespace });
  await steps.run("operator", (say) => awaitDeployment(world, { namespace, name: operator.name }, say));
  const kyma = await findKyma(client, { namespace, kymaName }, io.signal);
  await steps.run("modules", (say) => awaitKyma(world, { kyma, releases }, say));
}
