import { type AnyObject, builtIn, optional } from "@kyma-operators/kube";
import type { World } from "../poll.ts";
import type { Say } from "../progress/steps.ts";
import { isUrl } from "../system-download.ts";
import { readObjects } from "./read-objects.ts";
import { awaitDeployment } from "./rollout.ts";
import { applyAll, awaitEstablished, type WriteFlags } from "./write.ts";

const { customResourceDefinitions: crds } = builtIn;

const webhook = { namespace: "cert-manager", name: "cert-manager-webhook" };

/** Where a version's manifests are published. */
function addressOf(version: string): string {
  if (isUrl(version)) return version;
  const tag = version.startsWith("v") ? version : `v${version}`;
  return `https://github.com/cert-manager/cert-manager/releases/download/${tag}/cert-manager.yaml`;
}

/** Sets up cert-manager unless the cluster has one, whoever brought it. Answers when its webhook can be asked. */
export async function ensureCertManager(world: World, version: string, flags: WriteFlags, say: Say): Promise<void> {
  const { client, io } = world;
  const key = { resource: crds, name: "certificates.cert-manager.io" };
  if ((await optional(client.get(key, { signal: io.signal }))) !== undefined) {
    say("it is there already and is left alone");
    return;
  }
  const objects = await readObjects(io, addressOf(version));
  const isCrd = ({ kind }: AnyObject): boolean => kind === "CustomResourceDefinition";
  await applyAll(world, objects.filter(isCrd), flags, say);
  await awaitEstablished(world, objects.filter(isCrd), say);
  await applyAll(
    world,
    objects.filter((object) => !isCrd(object)),
    flags,
    say,
  );
  await awaitDeployment(world, webhook, say);
}
