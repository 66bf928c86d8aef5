import { type AnyObject, builtIn, optional } from "@kyma-operators/kube";
import type { World } from "../poll.ts";
import type { Say } from "../progress/steps.ts";
import { isUrl } from "../system-download.ts";
import { isCrd } from "./objects.ts";
import { readObjects } from "./read-objects.ts";
import { awaitDeployment } from "./rollout.ts";
import { applyAll, awaitEstablished, fieldManager, type WriteFlags } from "./write.ts";

const { customResourceDefinitions: crds, deployments } = builtIn;

const webhook = { namespace: "cert-manager", name: "cert-manager-webhook" };

/** Where a version's manifests are published. */
function addressOf(version: string): string {
  if (isUrl(version)) return version;
  const tag = version.startsWith("v") ? version : `v${version}`;
  return `https://github.com/cert-manager/cert-manager/releases/download/${tag}/cert-manager.yaml`;
}

/** Sets up cert-manager unless somebody else did, and ends what a former run began. Answers when its webhook can be asked. */
export async function ensureCertManager(world: World, version: string, flags: WriteFlags, say: Say): Promise<void> {
  const { isForeign, isWhole } = await look(world);
  if (isWhole) say("it is there already and is left alone");
  else await install(world, await readObjects(world.io, addressOf(version)), flags, say);
  if (!isForeign) await awaitDeployment(world, webhook, say);
}

/** What {@link ensureCertManager} would write; nothing where it would leave alone what is there. */
export async function certManagerObjects(world: World, version: string): Promise<readonly AnyObject[]> {
  const { isWhole } = await look(world);
  return isWhole ? [] : readObjects(world.io, addressOf(version));
}

interface Found {
  readonly isForeign: boolean;
  /** Nothing is left to do. */
  readonly isWhole: boolean;
}

async function look(world: World): Promise<Found> {
  const key = { resource: crds, name: "certificates.cert-manager.io" };
  const crd = await optional(world.client.get(key, { signal: world.io.signal }));
  const isForeign = crd !== undefined && isOfOthers(crd);
  return { isForeign, isWhole: isForeign || (crd !== undefined && (await hasWebhook(world))) };
}

/** Whether somebody else holds a field of its spec; the API server holds others. */
function isOfOthers({ metadata }: AnyObject): boolean {
  return (metadata.managedFields ?? []).some(
    ({ manager, fieldsV1 = {} }) => manager !== fieldManager && "f:spec" in fieldsV1,
  );
}

async function hasWebhook({ client, io }: World): Promise<boolean> {
  const found = await optional(client.get({ resource: deployments, ...webhook }, { signal: io.signal }));
  return found !== undefined;
}

/** The webhook comes last: where it is, the rest is. */
async function install(world: World, objects: readonly AnyObject[], flags: WriteFlags, say: Say): Promise<void> {
  const crdsOf = objects.filter(isCrd);
  await applyAll(world, crdsOf, flags, say);
  await awaitEstablished(world, crdsOf, say);
  const others = objects.filter((object) => !isCrd(object));
  const isLast = ({ kind, metadata }: AnyObject): boolean => kind === "Deployment" && metadata.name === webhook.name;
  await applyAll(
    world,
    others.filter((object) => !isLast(object)),
    flags,
    say,
  );
  await applyAll(world, others.filter(isLast), flags, say);
}
