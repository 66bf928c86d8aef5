import type { AnyObject } from "@kyma-operators/kube";
import type { Objects } from "../controllers/objects.ts";
import { valueAt } from "../resources/kinds/edit.ts";
import { controlledObjects, runController } from "./controller.ts";
import { templateHash } from "./deployments.ts";
import { isActive, isAvailable, isReady, numberAt } from "./pod-state.ts";
import { nodeName } from "./pods.ts";
import { podFor } from "./replica-sets.ts";

const daemonSets = "apps/daemonsets";
const hashLabel = "controller-revision-hash";

/** Keeps one Pod on the only node, of the current template. */
export function runDaemonSetController(objects: Objects): () => void {
  return runController(objects, {
    collection: daemonSets,
    kind: "DaemonSet",
    owned: ["/pods"],
    sync: async (set) => {
      if (set.metadata.deletionTimestamp === undefined && hasNode(objects)) await syncPod(objects, set);
      await writeStatus(objects, set);
      return undefined;
    },
  });
}

const hasNode = (objects: Objects): boolean => objects.get("/nodes", "", nodeName) !== undefined;
const hashOf = (set: AnyObject): string => templateHash(valueAt(set, "spec", "template"));
const isCurrent = (set: AnyObject, pod: AnyObject): boolean => pod.metadata.labels?.[hashLabel] === hashOf(set);

async function syncPod(objects: Objects, set: AnyObject): Promise<void> {
  const pods = controlledObjects(objects, "/pods", set);
  const [pod, ...surplus] = pods.filter(isActive);
  for (const extra of surplus) await objects.delete("/pods", extra);
  const rolls = valueAt(set, "spec", "updateStrategy", "type") !== "OnDelete";
  if (pod !== undefined && rolls && !isCurrent(set, pod)) await objects.delete("/pods", pod);
  // An old Pod has to be gone before the next one takes its place on the node.
  if (pods.length > 0) return;
  const created = podFor(set) as AnyObject;
  await objects.create("/pods", {
    ...created,
    metadata: {
      ...created.metadata,
      labels: {
        ...created.metadata.labels,
        [hashLabel]: hashOf(set),
        "pod-template-generation": String(set.metadata.generation),
      },
    },
    spec: { ...(created.spec as object), nodeName },
  });
}

async function writeStatus(objects: Objects, set: AnyObject): Promise<void> {
  const current = objects.get(daemonSets, set.metadata.namespace ?? "", set.metadata.name ?? "");
  if (current === undefined) return;
  const active = controlledObjects(objects, "/pods", current).filter(isActive);
  const minReadySeconds = numberAt(current, 0, "spec", "minReadySeconds");
  const available = active.filter((pod) => isAvailable(pod, minReadySeconds, objects.now)).length;
  await objects.changeStatus(daemonSets, current, (object) => ({
    currentNumberScheduled: active.length,
    numberMisscheduled: 0,
    desiredNumberScheduled: hasNode(objects) ? 1 : 0,
    numberReady: active.filter(isReady).length,
    observedGeneration: object.metadata.generation,
    updatedNumberScheduled: active.filter((pod) => isCurrent(object, pod)).length,
    ...(available === 0 ? {} : { numberAvailable: available }),
    ...(available === 0 && hasNode(objects) ? { numberUnavailable: 1 } : {}),
  }));
}
