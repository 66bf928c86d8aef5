import { createHash } from "node:crypto";
import type { AnyObject } from "@kyma-operators/kube";
import type { Objects } from "../controllers/objects.ts";
import { type Fields, isFields, valueAt } from "../resources/kinds/edit.ts";
import { equal } from "../resources/resource.ts";
import { controlledBy, controlledObjects, runController } from "./controller.ts";
import { deploymentStatus, progressDueMs } from "./deployment-status.ts";
import { numberAt } from "./pod-state.ts";
import { replicaSets } from "./replica-sets.ts";
import { planRollout, resolveShare } from "./rollout.ts";

export const deployments = "apps/deployments";
const hashLabel = "pod-template-hash";
const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Rolls Pod templates out through ReplicaSets. */
export function runDeploymentController(objects: Objects): () => void {
  return runController(objects, {
    collection: deployments,
    kind: "Deployment",
    owned: [replicaSets],
    sync: (deployment) => syncDeployment(objects, deployment),
  });
}

async function syncDeployment(objects: Objects, deployment: AnyObject): Promise<number | undefined> {
  if (deployment.metadata.deletionTimestamp === undefined) {
    const { newest, old } = await ensureReplicaSet(objects, deployment);
    const isPaused = valueAt(deployment, "spec", "paused") === true;
    if (newest !== undefined && !isPaused) await scale(objects, deployment, { newest, old });
    else await scalePaused(objects, deployment, newest === undefined ? old : [...old, newest]);
    await removeHistory(objects, deployment, old);
  }
  return writeStatus(objects, deployment);
}

/** Nothing rolls out while a Deployment is paused, but the ReplicaSet in use follows its scale. */
async function scalePaused(objects: Objects, deployment: AnyObject, sets: readonly AnyObject[]): Promise<void> {
  const active = sets.filter((set) => numberAt(set, 0, "spec", "replicas") > 0);
  const only = active.length > 1 ? undefined : (active[0] ?? sets.at(-1));
  const replicas = numberAt(deployment, 1, "spec", "replicas");
  if (only !== undefined) await setReplicas(objects, only, { replicas, deployment });
}

interface Sets {
  readonly newest: AnyObject;
  /** Oldest first. */
  readonly old: readonly AnyObject[];
}

const revisionOf = ({ metadata }: AnyObject): number => Number(metadata.annotations?.[revisionAnnotation] ?? 0);

/** The ReplicaSet of the current template, made when there is none; absent while the Deployment is paused. */
async function ensureReplicaSet(
  objects: Objects,
  deployment: AnyObject,
): Promise<{ readonly newest: AnyObject | undefined; readonly old: readonly AnyObject[] }> {
  const sets = [...controlledObjects(objects, replicaSets, deployment)].sort((a, b) => revisionOf(a) - revisionOf(b));
  const known = sets.find((set) => equal(templateOf(set), templateOf(deployment)));
  const old = sets.filter((set) => set !== known);
  const latest = Math.max(0, ...old.map(revisionOf));
  if (known !== undefined) {
    const newest = revisionOf(known) > latest ? known : await annotate(objects, replicaSets, known, latest + 1);
    await annotate(objects, deployments, deployment, revisionOf(newest));
    return { newest, old };
  }
  if (valueAt(deployment, "spec", "paused") === true) return { newest: undefined, old };
  const newest = await objects.create(replicaSets, replicaSetFor(deployment, latest + 1));
  await annotate(objects, deployments, deployment, latest + 1);
  return { newest, old };
}

/** The template without the label that tells ReplicaSets apart. */
function templateOf(object: AnyObject): unknown {
  const template = valueAt(object, "spec", "template") as { readonly metadata?: Fields };
  const { [hashLabel]: _, ...labels } = (template.metadata?.labels ?? {}) as Record<string, string>;
  return { ...template, metadata: { ...template.metadata, labels } };
}

async function annotate(objects: Objects, collection: string, object: AnyObject, revision: number): Promise<AnyObject> {
  if (revisionOf(object) === revision) return object;
  return objects.change(collection, object, (current) => {
    const { annotations } = current.metadata;
    const history = collection === replicaSets ? historyOf(current) : {};
    const next = { ...annotations, ...history, [revisionAnnotation]: String(revision) };
    return { ...current, metadata: { ...current.metadata, annotations: next } };
  });
}

/** A ReplicaSet that comes back keeps the revisions that it had before. */
function historyOf({ metadata: { annotations = {} } }: AnyObject): Readonly<Record<string, string>> {
  const before = [annotations[historyAnnotation], annotations[revisionAnnotation]].filter((text) => text !== undefined);
  return before.length === 0 ? {} : { [historyAnnotation]: before.join(",") };
}

/** A short name for a template; a collision (told by `collisionCount`) gives another one. */
export function templateHash(template: unknown, salt: unknown = 0): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([template, salt]))
    .digest();
  return [...digest.subarray(0, 10)].map((byte) => alphabet[byte % alphabet.length]).join("");
}

function replicaSetFor(deployment: AnyObject, revision: number): Omit<AnyObject, "apiVersion" | "kind"> {
  const { metadata } = deployment;
  const spec = deployment.spec as Fields;
  const template = spec.template as { readonly metadata?: Fields };
  const selector = spec.selector as { readonly matchLabels?: Fields };
  const hash = templateHash(template, valueAt(deployment, "status", "collisionCount"));
  const labels = { ...(isFields(template.metadata?.labels) ? template.metadata.labels : {}), [hashLabel]: hash };
  return {
    metadata: {
      name: `${metadata.name}-${hash}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: labels as Record<string, string>,
      annotations: { ...scaleAnnotations(deployment), [revisionAnnotation]: String(revision) },
      ownerReferences: [controlledBy(deployment)],
    },
    spec: {
      replicas: 0,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** What a ReplicaSet remembers of its Deployment's scale. */
function scaleAnnotations(deployment: AnyObject): Readonly<Record<string, string>> {
  const replicas = numberAt(deployment, 1, "spec", "replicas");
  return {
    "deployment.kubernetes.io/desired-replicas": String(replicas),
    "deployment.kubernetes.io/max-replicas": String(replicas + surgeOf(deployment, replicas)),
  };
}

function surgeOf({ spec }: AnyObject, replicas: number): number {
  return resolveShare(valueAt(spec, "strategy", "rollingUpdate", "maxSurge"), replicas, Math.ceil);
}

async function scale(objects: Objects, deployment: AnyObject, { newest, old }: Sets): Promise<void> {
  const replicas = numberAt(deployment, 1, "spec", "replicas");
  if (valueAt(deployment, "spec", "strategy", "type") === "Recreate") {
    for (const set of old) await setReplicas(objects, set, { replicas: 0, deployment });
    const isEmpty = old.every((set) => controlledObjects(objects, "/pods", set).length === 0);
    if (isEmpty) await setReplicas(objects, newest, { replicas, deployment });
    return;
  }
  const strategy = valueAt(deployment, "spec", "strategy", "rollingUpdate");
  const maxSurge = surgeOf(deployment, replicas);
  const unavailable = resolveShare(valueAt(strategy, "maxUnavailable"), replicas, Math.floor);
  const plan = planRollout({
    replicas,
    maxSurge,
    // With neither surge nor unavailability nothing could ever move.
    maxUnavailable: maxSurge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas),
    newReplicas: numberAt(newest, 0, "spec", "replicas"),
    newAvailable: numberAt(newest, 0, "status", "availableReplicas"),
    old: old.map((set) => ({
      replicas: numberAt(set, 0, "spec", "replicas"),
      available: numberAt(set, 0, "status", "availableReplicas"),
    })),
  });
  await setReplicas(objects, newest, { replicas: plan.newReplicas, deployment });
  for (const [index, set] of old.entries())
    await setReplicas(objects, set, { replicas: plan.oldReplicas[index] ?? 0, deployment });
}

async function setReplicas(
  objects: Objects,
  set: AnyObject,
  { replicas, deployment }: { readonly replicas: number; readonly deployment: AnyObject },
): Promise<void> {
  const annotations = scaleAnnotations(deployment);
  const isNoted = Object.entries(annotations).every(([name, text]) => set.metadata.annotations?.[name] === text);
  if (isNoted && numberAt(set, 0, "spec", "replicas") === replicas) return;
  await objects.change(replicaSets, set, (current) => ({
    ...current,
    metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, ...annotations } },
    spec: { ...(current.spec as Fields), replicas },
  }));
}

/** Old empty ReplicaSets beyond the limit go. */
async function removeHistory(objects: Objects, deployment: AnyObject, old: readonly AnyObject[]): Promise<void> {
  const limit = numberAt(deployment, 10, "spec", "revisionHistoryLimit");
  const empty = old.filter(
    (set) => numberAt(set, 0, "spec", "replicas") === 0 && numberAt(set, 0, "status", "replicas") === 0,
  );
  for (const set of empty.slice(0, Math.max(0, old.length - limit))) await objects.delete(replicaSets, set);
}

async function writeStatus(objects: Objects, deployment: AnyObject): Promise<number | undefined> {
  const current = objects.get(deployments, deployment.metadata.namespace ?? "", deployment.metadata.name ?? "");
  if (current === undefined) return undefined;
  const sets = controlledObjects(objects, replicaSets, current);
  const newest = sets.find((set) => equal(templateOf(set), templateOf(current)));
  const { now } = objects;
  const written = await objects.changeStatus(deployments, current, (object) =>
    deploymentStatus(object, { sets, newest, now }),
  );
  return progressDueMs(written, now);
}
