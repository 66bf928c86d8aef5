import { cloudProfileResource, type JsonObject, type Shoot, type ShootWorker } from "@kyma-operators/gardener";
import { type Client, optional } from "@kyma-operators/kube";
import { offeredImages, offeredVersions } from "./catalogue.ts";
import { valueAt } from "./validation/json.ts";

/**
 * What Gardener changes in a maintenance window: the newest patch of the Kubernetes version, the newest machine images,
 * as far as the Shoot allows it; and zones in another order, because nothing promises that it stays.
 *
 * @returns the part of the spec to write; undefined when all is as it should be.
 */
export async function maintain(client: Client, { spec }: Shoot): Promise<JsonObject | undefined> {
  const name = spec.cloudProfile?.name ?? spec.cloudProfileName ?? "";
  const profile = await optional(client.get({ resource: cloudProfileResource, name }));
  if (profile === undefined) return undefined;
  const version = spec.maintenance?.autoUpdate?.kubernetesVersion
    ? newestPatch(spec.kubernetes.version, profile)
    : undefined;
  const workers = (spec.provider.workers ?? []).map((worker) => ({
    ...worker,
    zones: (worker.zones ?? []).toReversed(),
    machine: spec.maintenance?.autoUpdate?.machineImageVersion ? newestImage(worker, profile) : worker.machine,
  }));
  return { ...(version === undefined ? {} : { kubernetes: { version } }), provider: { workers } };
}

function newestPatch(version: string, profile: JsonObject): string | undefined {
  const minor = version.split(".").slice(0, 2).join(".");
  return offeredVersions((valueAt(profile, "spec") ?? {}) as JsonObject).find((each) => each.startsWith(`${minor}.`));
}

function newestImage({ machine }: ShootWorker, profile: JsonObject): ShootWorker["machine"] {
  const [version] = offeredImages(profile, machine.image?.name ?? "");
  return machine.image === undefined || version === undefined
    ? machine
    : { ...machine, image: { ...machine.image, version } };
}
