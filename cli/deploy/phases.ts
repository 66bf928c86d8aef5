import { formatYamlDocuments } from "@kyma-operators/yaml";
import { findKyma } from "../module/kyma-access.ts";
import type { World } from "../poll.ts";
import { differences } from "./difference.ts";
import { deployErrors } from "./errors.ts";
import type { DeployInputs } from "./inputs.ts";
import { awaitKyma, checkModules, type KymaWish, readKymas, writeKyma } from "./kyma.ts";
import { applyModuleResources } from "./module-resources.ts";
import { objectsOf } from "./objects.ts";
import { checkFound, checkRights, type Found, imageVersion, readFound } from "./preflight.ts";
import { awaitDeployment } from "./rollout.ts";
import { operator } from "./setup.ts";
import type { Steps } from "./steps.ts";
import { applyAll, awaitEstablished, fillAccess, type WriteFlags } from "./write.ts";

export interface PhaseFlags extends WriteFlags {
  readonly namespace: string;
  readonly clusterAddress: string;
  readonly force: boolean;
  readonly pruneModules: boolean;
}

/** The objects as YAML documents: what a dry run prints. */
export function planText({ plan }: DeployInputs): string {
  return formatYamlDocuments(objectsOf(plan));
}

/** What a deployment would change on the cluster. Ends with the error code of `diff` where there is something. */
export async function printDifference(world: World, inputs: DeployInputs): Promise<void> {
  const { io, client } = world;
  const planned = objectsOf(inputs.plan).filter((object) => object !== (inputs.plan.kyma as unknown));
  // The kubeconfig of the access Secret is made on the cluster and is not compared.
  const compared = planned.filter(({ kind, type }) => kind !== "Secret" || type !== "Opaque");
  const lines = await differences(client, compared, io.signal);
  io.stdout.write(lines.length === 0 ? "no change\n" : `${lines.join("\n")}\n`);
}

/** What is wanted, and what the cluster had before. */
export interface Deployment {
  readonly inputs: DeployInputs;
  readonly found: Found;
}

/** All phases of a deployment, each of which can be run again. */
export async function deploy(
  world: World,
  { inputs, found }: Deployment,
  flags: PhaseFlags,
  steps: Steps,
): Promise<void> {
  const { plan } = inputs;
  const wish = await steps.run("preflight", () => preflight(world, { inputs, found }, flags));
  const namespaces = plan.operator.filter(({ kind }) => kind === "Namespace");
  await steps.run("CRDs", async (say) => {
    await applyAll(world, [...namespaces, ...plan.crds], flags);
    await awaitEstablished(world, plan.crds, say);
  });
  await steps.run("operator", async (say) => {
    await applyAll(world, plan.operator, flags);
    await applyAccess(world, inputs, flags, say);
    await awaitDeployment(world, { namespace: flags.namespace, name: operator.name }, say);
  });
  await steps.run("module templates", () => applyAll(world, plan.templates, flags));
  await steps.run("Kyma", () => writeKyma(world, wish));
  await steps.run("modules", async (say) => {
    const awaited = { kyma: wish.object, releases: inputs.releases };
    const given = { resources: inputs.resources, force: flags.forceConflicts };
    await applyModuleResources(world, awaited, given, say);
    await awaitKyma(world, awaited, say);
  });
}

async function preflight(world: World, { inputs, found }: Deployment, flags: PhaseFlags): Promise<KymaWish> {
  const { client, io } = world;
  const { plan, channel, modules, releases } = inputs;
  const wanted = imageVersion(
    plan.operator.find(({ kind, metadata }) => metadata.name === operator.name && kind === "Deployment"),
  );
  checkFound(found, wanted ?? "", flags.force);
  await checkRights(client, objectsOf(plan), io.signal);
  const wish: KymaWish = { object: plan.kyma, channel, modules, prune: flags.pruneModules };
  const { own, copy } = await readKymas(world, plan.kyma);
  checkModules(wish, copy ?? own, releases);
  return wish;
}

async function applyAccess(
  world: World,
  { plan }: DeployInputs,
  flags: PhaseFlags,
  say: (text: string) => void,
): Promise<void> {
  const accessName = `kubeconfig-${plan.kyma.metadata.name ?? ""}`;
  const others = plan.access.filter(({ metadata }) => metadata.name !== accessName);
  await applyAll(world, others, flags);
  const where = {
    namespace: flags.namespace,
    kymaName: plan.kyma.metadata.name ?? "",
    server: flags.clusterAddress,
  };
  await applyAll(world, [await fillAccess(world, where, say)], flags);
}

/** Watches what another run has begun; writes nothing. */
export async function attach(
  world: World,
  flags: { namespace: string; kymaName: string },
  steps: Steps,
): Promise<void> {
  const { client, io } = world;
  const { namespace, kymaName } = flags;
  const found = await readFound(client, namespace, io.signal);
  if (found.operator === undefined) throw deployErrors.NOT_DEPLOYED({ namespace });
  await steps.run("operator", (say) => awaitDeployment(world, { namespace, name: operator.name }, say));
  const kyma = await findKyma(client, { namespace, kymaName }, io.signal);
  await steps.run("modules", (say) => awaitKyma(world, { kyma, releases: found.releases }, say));
}
