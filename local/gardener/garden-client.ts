import { shootResource } from "@kyma-operators/gardener";
import type { AnyObject, Client, Clock } from "@kyma-operators/kube";
import type { Gardenlet } from "./gardenlet.ts";
import type { GardenShoot } from "./task.ts";

const relistMs = 1_000;

/** Creates objects with their status. */
export async function install(client: Client, objects: readonly AnyObject[]): Promise<void> {
  for (const object of objects) {
    const resource = await client.resourceFor(object.apiVersion, object.kind);
    const created = await client.create(resource, object);
    if (object["status"] === undefined || object.kind === "Namespace") continue;
    await client.update(resource, { ...created, status: object["status"] }, { subresource: "status" });
  }
}

export interface Following {
  readonly gardenlet: Gardenlet;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Shows every Shoot and every change of one to the gardenlet, until the signal aborts. */
export async function follow(client: Client, { gardenlet, clock, signal }: Following): Promise<void> {
  while (!signal.aborted) {
    try {
      await followOnce(client, gardenlet, signal);
    } catch {
      // A watch that broke is replaced by a new list.
      await clock.sleep(relistMs, signal).catch(() => undefined);
    }
  }
}

async function followOnce(client: Client, gardenlet: Gardenlet, signal: AbortSignal): Promise<void> {
  const { items, resourceVersion } = await client.list<GardenShoot>(shootResource, { signal });
  for (const shoot of items) gardenlet.observe(shoot);
  for await (const event of client.watch<GardenShoot>(shootResource, { resourceVersion, signal })) {
    if (event.type === "BOOKMARK") continue;
    if (event.type === "DELETED") await gardenlet.vanished(event.object);
    else gardenlet.observe(event.object);
  }
}
