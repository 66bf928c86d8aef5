import type { AnyObject } from "@kyma-operators/kube";
import { type Fields, listAt, valueAt } from "../resources/kinds/edit.ts";
import { equal } from "../resources/resource.ts";
import { parseTimestamp, timestamp } from "../system-clock.ts";
import { numberAt } from "./pod-state.ts";
import { resolveShare } from "./rollout.ts";

interface Observed {
  readonly sets: readonly AnyObject[];
  readonly newest: AnyObject | undefined;
  readonly now: number;
}

/** What the ReplicaSets of a Deployment add up to. */
export function deploymentStatus(deployment: AnyObject, { sets, newest, now }: Observed): Fields {
  const total = (field: string): number => sets.reduce((sum, set) => sum + numberAt(set, 0, "status", field), 0);
  const available = total("availableReplicas");
  const counts = {
    observedGeneration: deployment.metadata.generation,
    replicas: total("replicas"),
    updatedReplicas: numberAt(newest, 0, "status", "replicas"),
    readyReplicas: total("readyReplicas"),
    availableReplicas: available,
    unavailableReplicas: Math.max(
      0,
      Math.max(total("replicas"), numberAt(deployment, 1, "spec", "replicas")) - available,
    ),
  };
  const before = (deployment.status ?? {}) as Fields;
  const conditions = [
    availableCondition(deployment, available),
    progressCondition(deployment, { counts, newest, before, now }),
  ].filter((condition) => condition !== undefined);
  return {
    ...(before.collisionCount === undefined ? {} : { collisionCount: before.collisionCount }),
    ...withoutZeros(counts),
    conditions: conditions.map((condition) => withTimes(condition, listAt(before, "conditions"), now)),
  };
}

function withoutZeros(counts: Readonly<Record<string, number | undefined>>): Fields {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0 && count !== undefined));
}

function availableCondition(deployment: AnyObject, available: number): Fields {
  const replicas = numberAt(deployment, 1, "spec", "replicas");
  const strategy = valueAt(deployment, "spec", "strategy", "rollingUpdate", "maxUnavailable");
  const isAvailable = available >= replicas - resolveShare(strategy, replicas, Math.floor);
  return isAvailable
    ? {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      }
    : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
}

interface Progress {
  readonly counts: Readonly<Record<string, number | undefined>>;
  readonly newest: AnyObject | undefined;
  readonly before: Fields;
  readonly now: number;
}

function progressCondition(deployment: AnyObject, progress: Progress): Fields | undefined {
  const { counts, newest, before, now } = progress;
  const known = listAt(before, "conditions").find(({ type }) => type === "Progressing");
  const pause = pauseCondition(deployment, known);
  if (pause !== undefined || newest === undefined) return pause ?? known;
  const name = `ReplicaSet "${newest.metadata.name}"`;
  const progressing = (status: string, reason: string, end: string): Fields => ({
    type: "Progressing",
    status,
    reason,
    message: `${name} ${end}`,
  });
  if (isComplete(deployment, counts))
    return progressing("True", "NewReplicaSetAvailable", "has successfully progressed.");
  const moved = countFields.some((field) => numberAt(before, 0, field) !== (counts[field] ?? 0));
  if (!moved && known !== undefined && isLate(deployment, known, now)) {
    return progressing("False", "ProgressDeadlineExceeded", "has timed out progressing.");
  }
  const lastUpdateTime = moved || known === undefined ? { lastUpdateTime: timestamp(now) } : {};
  return { ...progressing("True", "ReplicaSetUpdated", "is progressing."), ...lastUpdateTime };
}

/** Progress is not counted while a Deployment is paused, and counted anew when it goes on. */
function pauseCondition(deployment: AnyObject, known: Fields | undefined): Fields | undefined {
  const paused = valueAt(deployment, "spec", "paused") === true;
  const wasPaused = known?.reason === "DeploymentPaused";
  const unknown = { type: "Progressing", status: "Unknown" };
  if (paused) return wasPaused ? known : { ...unknown, reason: "DeploymentPaused", message: "Deployment is paused" };
  return wasPaused ? { ...unknown, reason: "DeploymentResumed", message: "Deployment is resumed" } : undefined;
}

function isComplete(deployment: AnyObject, counts: Progress["counts"]): boolean {
  const replicas = numberAt(deployment, 1, "spec", "replicas");
  return counts.updatedReplicas === replicas && counts.replicas === replicas && counts.availableReplicas === replicas;
}

/** Whether a rollout that does not move has had its time. */
function isLate(deployment: AnyObject, known: Fields, now: number): boolean {
  if (known.reason === "ProgressDeadlineExceeded") return true;
  const since = parseTimestamp(known.lastUpdateTime);
  const deadlineMs = numberAt(deployment, 600, "spec", "progressDeadlineSeconds") * 1000;
  return known.reason === "ReplicaSetUpdated" && since !== undefined && now - since >= deadlineMs;
}

const countFields = ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"] as const;

/** Times move only with what they are about. */
function withTimes(condition: Fields, known: readonly Fields[], now: number): Fields {
  const before = known.find(({ type }) => type === condition.type);
  const { lastUpdateTime, ...facts } = condition;
  const same =
    before !== undefined &&
    (["status", "reason", "message"] as const).every((name) => equal(before[name], facts[name]));
  const sameStatus = before?.status === facts.status;
  return {
    ...facts,
    lastUpdateTime: lastUpdateTime ?? (same ? before.lastUpdateTime : timestamp(now)),
    lastTransitionTime: sameStatus ? (before?.lastTransitionTime ?? timestamp(now)) : timestamp(now),
  };
}

/** When an unfinished rollout would be late, in milliseconds from now. */
export function progressDueMs(deployment: AnyObject, now: number): number | undefined {
  const progressing = listAt(deployment, "status", "conditions").find(({ type }) => type === "Progressing");
  if (progressing?.reason !== "ReplicaSetUpdated") return undefined;
  const since = parseTimestamp(progressing.lastUpdateTime) ?? now;
  return Math.max(1_000, since + numberAt(deployment, 600, "spec", "progressDeadlineSeconds") * 1000 - now);
}
