import { textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { nameOfObject } from "../cluster-kinds.ts";
import { moduleProgress } from "../module/progress.ts";
import { pollUntil, type World } from "../poll.ts";
import type { Say } from "../progress/steps.ts";
import { deployErrors } from "./errors.ts";
import { type Awaited, readJudged } from "./kyma.ts";
import { applyOne, type WriteFlags } from "./write.ts";

/** Objects that shall exist once their module is installed. */
export interface ModuleResources {
  readonly module: string;
  readonly objects: readonly AnyObject[];
}

/**
 * Applies the objects of each module as soon as it is Ready or Warning. One that fails does not stop the others; all
 * failures are thrown at the end as `DEPLOY_RESOURCES_FAILED`.
 */
export async function applyModuleResources(
  world: World,
  awaited: Awaited,
  { resources, flags }: { readonly resources: readonly ModuleResources[]; readonly flags: WriteFlags },
  say: Say,
): Promise<void> {
  const failures: string[] = [];
  for (const { module, objects } of resources) {
    await awaitModule(world, awaited, module, say);
    for (const object of objects) {
      try {
        await applyOne(world, object, flags, say);
      } catch (error) {
        world.io.signal.throwIfAborted();
        failures.push(`${module}: ${nameOfObject(object)}: ${textOf(error)}`);
      }
    }
  }
  if (failures.length > 0) throw deployErrors.RESOURCES_FAILED({ failures });
}

async function awaitModule(
  world: World,
  { kyma, releases }: Awaited,
  module: string,
  say: (text: string) => void,
): Promise<void> {
  const look = async (): Promise<string | undefined> => {
    const progress = moduleProgress(await readJudged(world, kyma), module, { end: "installed", releases });
    return progress.kind === "done" ? undefined : progress.reason;
  };
  await pollUntil(world, look, say);
}
