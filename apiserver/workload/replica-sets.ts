import type { AnyObject, OwnerReference } from "@kyma-operators/kube";
import type { Objects } from "../controllers/objects.ts";
import { type Fields, isFields, valueAt } from "../resources/kinds/edit.ts";
import { compileLabelSelector, type LabelSelectorObject } from "../selectors/label-selector.ts";
import { controlledBy, controlledObjects, controllerOf, runController } from "./controller.ts";
import { isActive, isAvailable, isReady, numberAt } from "./pod-state.ts";

export const replicaSets = "apps/replicasets";

/** Keeps as many Pods as `spec.replicas` says. */
export function runReplicaSetController(objects: Objects): () => void {
  return runController(objects, {
    collection: replicaSets,
    kind: "ReplicaSet",
    owned: ["/pods"],
    sync: (replicaSet) => syncReplicaSet(objects, replicaSet),
  });
}

async function syncReplicaSet(objects: Objects, replicaSet: AnyObject): Promise<number | undefined> {
  const deleted = replicaSet.metadata.deletionTimestamp !== undefined;
  const pods = deleted ? controlledObjects(objects, "/pods", replicaSet) : await claimPods(objects, replicaSet);
  const active = pods.filter(isActive);
  const wanted = numberAt(replicaSet, 1, "spec", "replicas");
  if (!deleted && active.length < wanted) await createPods(objects, replicaSet, wanted - active.length);
  if (!deleted && active.length > wanted) await deletePods(objects, active, active.length - wanted);
  return writeStatus(objects, replicaSet);
}

/** The Pods of this owner, with matching ones that nobody controls, without its own that match no more. */
async function claimPods(objects: Objects, owner: AnyObject): Promise<readonly AnyObject[]> {
  const matches = compileLabelSelector(valueAt(owner, "spec", "selector") as LabelSelectorObject);
  for (const pod of objects.list("/pods", owner.metadata.namespace)) {
    const controller = controllerOf(pod);
    const fits = matches(pod.metadata.labels);
    if (controller === undefined && isActive(pod) && fits)
      await setOwners(objects, pod, (owners) => [...owners, controlledBy(owner)]);
    if (controller?.uid === owner.metadata.uid && !fits)
      await setOwners(objects, pod, (owners) => owners.filter(({ uid }) => uid !== owner.metadata.uid));
  }
  return controlledObjects(objects, "/pods", owner);
}

async function setOwners(
  objects: Objects,
  pod: AnyObject,
  edit: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
): Promise<void> {
  await objects.change("/pods", pod, ({ metadata: { ownerReferences = [], ...metadata }, ...current }) => {
    const next = edit(ownerReferences);
    return { ...current, metadata: next.length === 0 ? metadata : { ...metadata, ownerReferences: next } } as AnyObject;
  });
}

async function createPods(objects: Objects, owner: AnyObject, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await objects.create("/pods", podFor(owner));
}

/** A new Pod of an owner's template. */
export function podFor(owner: AnyObject, name?: string): Omit<AnyObject, "apiVersion" | "kind"> {
  const template = valueAt(owner, "spec", "template") as { readonly metadata?: Fields; readonly spec?: Fields };
  const metadata = template.metadata ?? {};
  return {
    metadata: {
      ...metadata,
      ...(name === undefined ? { generateName: `${owner.metadata.name}-` } : { name }),
      ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
      ownerReferences: [controlledBy(owner)],
    },
    spec: template.spec,
  };
}

/** Pods that are not ready go first, then the youngest. */
async function deletePods(objects: Objects, pods: readonly AnyObject[], count: number): Promise<void> {
  const rank = (pod: AnyObject): number => (isReady(pod) ? 1 : 0);
  const version = ({ metadata }: AnyObject): string => metadata.creationTimestamp ?? "";
  const order = [...pods].sort((a, b) => rank(a) - rank(b) || (version(a) < version(b) ? 1 : -1));
  for (const pod of order.slice(0, count)) await objects.delete("/pods", pod);
}

async function writeStatus(objects: Objects, replicaSet: AnyObject): Promise<number | undefined> {
  const current = objects.get(replicaSets, replicaSet.metadata.namespace ?? "", replicaSet.metadata.name ?? "");
  if (current === undefined) return undefined;
  const active = controlledObjects(objects, "/pods", replicaSet).filter(isActive);
  const minReadySeconds = numberAt(replicaSet, 0, "spec", "minReadySeconds");
  const ready = active.filter(isReady).length;
  const available = active.filter((pod) => isAvailable(pod, minReadySeconds, objects.now)).length;
  await objects.changeStatus(replicaSets, current, (object) => {
    const {
      readyReplicas: _,
      availableReplicas: _1,
      fullyLabeledReplicas: _2,
      ...kept
    } = isFields(object.status) ? object.status : {};
    return {
      ...kept,
      replicas: active.length,
      ...(active.length === 0 ? {} : { fullyLabeledReplicas: active.length }),
      ...(ready === 0 ? {} : { readyReplicas: ready }),
      ...(available === 0 ? {} : { availableReplicas: available }),
      observedGeneration: object.metadata.generation,
    };
  });
  return available < ready ? minReadySeconds * 1000 : undefined;
}
