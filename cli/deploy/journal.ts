import { hasCode, textOf } from "@kyma-operators/errors";
import { type AnyObject, type ObjectRef, optional, type Resource } from "@kyma-operators/kube";
import { nameOfObject, refTo } from "../cluster-kinds.ts";
import { pollUntil, type World } from "../poll.ts";
import type { Say } from "../progress/steps.ts";

const mostRepeats = 5;

interface Entry {
  readonly resource: Resource;
  readonly name: string;
  readonly ref: ObjectRef;
  /** Undefined when there was nothing. */
  readonly before: AnyObject | undefined;
}

/** Remembers what a run has written, so that it can be taken back. */
export class Journal {
  readonly #entries: Entry[] = [];

  /** To be called before a write. An object that was noted already keeps its first state. */
  async note({ client, io }: World, resource: Resource, object: AnyObject): Promise<void> {
    const ref = refTo(resource, object);
    const name = nameOfObject(object);
    if (this.#entries.some((entry) => entry.name === name && entry.resource.group === resource.group)) return;
    const before = await optional(client.get(ref, { signal: io.signal }));
    this.#entries.push({ resource, name, ref, before });
  }

  /** Puts everything back as it was, the last write first. Throws at the end what was not taken back. */
  async takeBack(world: World, say: Say): Promise<void> {
    const failures: string[] = [];
    for (const entry of this.#entries.toReversed()) {
      try {
        await (entry.before === undefined ? remove(world, entry, say) : restore(world, entry, entry.before));
        say.detail(`${entry.name} taken back`);
      } catch (error) {
        failures.push(`${entry.name}: ${textOf(error)}`);
      }
    }
    if (failures.length > 0) throw new Error(failures.join("; "));
  }
}

async function remove(world: World, { ref, name }: Entry, say: Say): Promise<void> {
  const { client, io } = world;
  await optional(client.delete(ref, { propagationPolicy: "Background", signal: io.signal }));
  const look = async (): Promise<string | undefined> => {
    const left = await optional(client.get(ref, { signal: io.signal }));
    return left === undefined ? undefined : `${name} is not gone yet`;
  };
  await pollUntil(world, look, say);
}

/** Others, first of all the operator, may write at the same time. */
async function restore(world: World, entry: Entry, before: AnyObject): Promise<void> {
  for (let repeats = 0; ; repeats++) {
    try {
      await restoreOnce(world, entry, before);
      return;
    } catch (error) {
      if (!hasCode(error, "KUBE_CONFLICT") || repeats >= mostRepeats) throw error;
    }
  }
}

async function restoreOnce({ client, io }: World, { resource, ref }: Entry, before: AnyObject): Promise<void> {
  const now = await optional(client.get(ref, { signal: io.signal }));
  if (now?.metadata.resourceVersion === before.metadata.resourceVersion) return;
  const { managedFields: _, resourceVersion: _version, uid: _uid, ...metadata } = before.metadata;
  const version = now?.metadata.resourceVersion;
  const object = {
    ...before,
    metadata: { ...metadata, ...(version === undefined ? {} : { resourceVersion: version }) },
  };
  await (now === undefined
    ? client.create(resource, object, { signal: io.signal })
    : client.update(resource, object, { signal: io.signal }));
}
