import type { AnyObject } from "@kyma-operators/kube";
import type { Objects } from "../controllers/objects.ts";
import { type Fields, isFields, listAt, valueAt } from "../resources/kinds/edit.ts";
import { controlledObjects, runController } from "./controller.ts";
import { templateHash } from "./deployments.ts";
import { isAvailable, isFinished, isReady, isTerminating, numberAt } from "./pod-state.ts";
import { podFor } from "./replica-sets.ts";

const statefulSets = "apps/statefulsets";
const claims = "/persistentvolumeclaims";
const revisionLabel = "controller-revision-hash";

/** Keeps numbered Pods with their own claims, in order unless the set says `Parallel`. */
export function runStatefulSetController(objects: Objects): () => void {
  return runController(objects, {
    collection: statefulSets,
    kind: "StatefulSet",
    owned: ["/pods"],
    sync: async (set) => {
      if (set.metadata.deletionTimestamp === undefined) await syncPods(objects, set);
      await writeStatus(objects, set);
      return undefined;
    },
  });
}

const revisionOf = (set: AnyObject): string => `${set.metadata.name}-${templateHash(valueAt(set, "spec", "template"))}`;

function ordinalOf(pod: AnyObject): number {
  return Number(/-(\d+)$/.exec(pod.metadata.name ?? "")?.[1] ?? -1);
}

async function syncPods(objects: Objects, set: AnyObject): Promise<void> {
  const pods = new Map(controlledObjects(objects, "/pods", set).map((pod) => [ordinalOf(pod), pod]));
  const first = numberAt(set, 0, "spec", "ordinals", "start");
  const end = first + numberAt(set, 1, "spec", "replicas");
  const parallel = valueAt(set, "spec", "podManagementPolicy") === "Parallel";
  for (let ordinal = first; ordinal < end; ordinal += 1) {
    const pod = pods.get(ordinal);
    if (pod === undefined) await createPod(objects, set, ordinal);
    else if (isFinished(pod) && !isTerminating(pod)) await objects.delete("/pods", pod);
    // The next one waits until this one is ready.
    if (!parallel && (pod === undefined || !isReady(pod) || isTerminating(pod))) return;
  }
  if (
    await removeSurplus(
      objects,
      [...pods].filter(([ordinal]) => ordinal >= end || ordinal < first),
      parallel,
    )
  )
    return;
  await updateOne(
    objects,
    set,
    [...pods].filter(([ordinal]) => ordinal < end),
  );
}

async function createPod(objects: Objects, set: AnyObject, ordinal: number): Promise<void> {
  const name = `${set.metadata.name}-${ordinal}`;
  const templates = listAt(set, "spec", "volumeClaimTemplates");
  for (const template of templates) await ensureClaim(objects, set, `${nameOf(template)}-${name}`, template);
  const pod = podFor(set, name) as AnyObject;
  const spec = pod.spec as Fields;
  const claimed = templates.map((template) => ({
    name: nameOf(template),
    persistentVolumeClaim: { claimName: `${nameOf(template)}-${name}` },
  }));
  const names = new Set<unknown>(claimed.map((volume) => volume.name));
  const volumes = [...claimed, ...listAt(spec, "volumes").filter((volume) => !names.has(volume.name))];
  await objects.create("/pods", {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        "apps.kubernetes.io/pod-index": String(ordinal),
        "statefulset.kubernetes.io/pod-name": name,
        [revisionLabel]: revisionOf(set),
      },
    },
    spec: {
      ...spec,
      hostname: name,
      ...(valueAt(set, "spec", "serviceName") === "" ? {} : { subdomain: valueAt(set, "spec", "serviceName") }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  });
}

const nameOf = (template: Fields): string => String(valueAt(template, "metadata", "name"));

async function ensureClaim(objects: Objects, set: AnyObject, name: string, template: Fields): Promise<void> {
  const namespace = set.metadata.namespace ?? "";
  if (objects.get(claims, namespace, name) !== undefined) return;
  const { labels, annotations } = isFields(template.metadata) ? template.metadata : {};
  const selected = valueAt(set, "spec", "selector", "matchLabels");
  await objects.create(claims, {
    metadata: {
      name,
      namespace,
      labels: { ...(isFields(selected) ? selected : {}), ...(isFields(labels) ? labels : {}) } as Record<
        string,
        string
      >,
      ...(isFields(annotations) ? { annotations: annotations as Record<string, string> } : {}),
    },
    spec: template.spec,
  });
}

/** Takes Pods beyond the wanted number away, the highest first; answers whether there were any. */
async function removeSurplus(
  objects: Objects,
  surplus: readonly (readonly [number, AnyObject])[],
  parallel: boolean,
): Promise<boolean> {
  const order = [...surplus].sort(([a], [b]) => b - a).map(([, pod]) => pod);
  const chosen = parallel ? order : order.slice(0, 1);
  for (const pod of chosen) if (!isTerminating(pod)) await objects.delete("/pods", pod);
  return chosen.length > 0;
}

/** Replaces the highest Pod of an older revision, one at a time, down to the partition. */
async function updateOne(
  objects: Objects,
  set: AnyObject,
  pods: readonly (readonly [number, AnyObject])[],
): Promise<void> {
  if (valueAt(set, "spec", "updateStrategy", "type") === "OnDelete") return;
  const partition = numberAt(set, 0, "spec", "updateStrategy", "rollingUpdate", "partition");
  const revision = revisionOf(set);
  const order = [...pods].filter(([ordinal]) => ordinal >= partition).sort(([a], [b]) => b - a);
  for (const [, pod] of order) {
    if (isTerminating(pod)) return;
    if (pod.metadata.labels?.[revisionLabel] !== revision) {
      await objects.delete("/pods", pod);
      return;
    }
    if (!isReady(pod)) return;
  }
}

async function writeStatus(objects: Objects, set: AnyObject): Promise<void> {
  const current = objects.get(statefulSets, set.metadata.namespace ?? "", set.metadata.name ?? "");
  if (current === undefined) return;
  const pods = controlledObjects(objects, "/pods", current).filter((pod) => !isTerminating(pod));
  const minReadySeconds = numberAt(current, 0, "spec", "minReadySeconds");
  const updateRevision = revisionOf(current);
  const updated = pods.filter((pod) => pod.metadata.labels?.[revisionLabel] === updateRevision).length;
  const isComplete = updated === numberAt(current, 1, "spec", "replicas") && updated === pods.length;
  await objects.changeStatus(statefulSets, current, (object) => {
    const before = valueAt(object, "status", "currentRevision");
    return {
      observedGeneration: object.metadata.generation,
      replicas: pods.length,
      readyReplicas: pods.filter(isReady).length,
      availableReplicas: pods.filter((pod) => isAvailable(pod, minReadySeconds, objects.now)).length,
      currentReplicas: isComplete ? pods.length : pods.length - updated,
      updatedReplicas: updated,
      currentRevision: isComplete || before === undefined ? updateRevision : before,
      updateRevision,
      collisionCount: 0,
    };
  });
}
