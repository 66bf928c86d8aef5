import type { AnyObject } from "@kyma-operators/kube";
import type { Objects } from "../controllers/objects.ts";
import { type Fields, listAt, valueAt } from "../resources/kinds/edit.ts";
import { parseTimestamp, timestamp } from "../system-clock.ts";
import { controlledObjects, runController } from "./controller.ts";
import { isActive, isReady, numberAt, phaseOf } from "./pod-state.ts";
import { podFor } from "./replica-sets.ts";

export const jobs = "batch/jobs";

/** Runs Pods until enough have succeeded or too many have failed. */
export function runJobController(objects: Objects): () => void {
  return runController(objects, {
    collection: jobs,
    kind: "Job",
    owned: ["/pods"],
    sync: (job) => syncJob(objects, job),
  });
}

interface Counts {
  readonly active: readonly AnyObject[];
  readonly succeeded: number;
  readonly failed: number;
}

function countsOf(objects: Objects, job: AnyObject): Counts {
  const pods = controlledObjects(objects, "/pods", job);
  return {
    active: pods.filter(isActive),
    succeeded: pods.filter((pod) => phaseOf(pod) === "Succeeded").length,
    failed: pods.filter((pod) => phaseOf(pod) === "Failed").length,
  };
}

async function syncJob(objects: Objects, job: AnyObject): Promise<number | undefined> {
  if (job.metadata.deletionTimestamp !== undefined) return undefined;
  if (endOf(job) !== undefined) return removeExpired(objects, job);
  if (isSuspended(job)) for (const pod of countsOf(objects, job).active) await objects.delete("/pods", pod);
  else await createPods(objects, job);
  const outcome = outcomeOf(job, countsOf(objects, job));
  if (outcome !== undefined) for (const pod of countsOf(objects, job).active) await objects.delete("/pods", pod);
  await writeStatus(objects, job, outcome);
  return undefined;
}

async function createPods(objects: Objects, job: AnyObject): Promise<void> {
  const counts = countsOf(objects, job);
  if (outcomeOf(job, counts) !== undefined) return;
  const parallelism = numberAt(job, 1, "spec", "parallelism");
  const left = numberAt(job, parallelism, "spec", "completions") - counts.succeeded;
  const missing = Math.min(parallelism, left) - counts.active.length;
  for (let index = 0; index < missing; index += 1) await objects.create("/pods", podFor(job));
}

const isSuspended = (job: AnyObject): boolean => valueAt(job, "spec", "suspend") === true;

/** Whether a Job is suspended, once it ever was; its start counts anew when it goes on. */
function suspension(job: AnyObject, time: string): readonly Fields[] {
  const known = listAt(job, "status", "conditions").find(({ type }) => type === "Suspended");
  const suspended = isSuspended(job);
  if (known === undefined && !suspended) return [];
  const status = suspended ? "True" : "False";
  if (known?.status === status) return [known];
  const facts = suspended
    ? { reason: "JobSuspended", message: "Job suspended" }
    : { reason: "JobResumed", message: "Job resumed" };
  return [{ type: "Suspended", status, lastProbeTime: time, lastTransitionTime: time, ...facts }];
}

type Outcome = "Complete" | "Failed";

function outcomeOf(job: AnyObject, { succeeded, failed }: Counts): Outcome | undefined {
  if (failed > numberAt(job, 6, "spec", "backoffLimit")) return "Failed";
  return succeeded >= numberAt(job, 1, "spec", "completions") ? "Complete" : undefined;
}

/** The condition that ended the Job; absent while it runs. */
export function endOf(job: AnyObject): Fields | undefined {
  return listAt(job, "status", "conditions").find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}

const causes: Readonly<Record<Outcome, { readonly first: string; readonly reason: string; readonly message: string }>> =
  {
    Complete: {
      first: "SuccessCriteriaMet",
      reason: "CompletionsReached",
      message: "Reached expected number of succeeded pods",
    },
    Failed: {
      first: "FailureTarget",
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    },
  };

async function writeStatus(objects: Objects, job: AnyObject, outcome: Outcome | undefined): Promise<void> {
  const counts = countsOf(objects, job);
  const time = timestamp(objects.now);
  await objects.changeStatus(jobs, job, (current) => {
    const before = (current.status ?? {}) as Fields;
    const conditions = [...suspension(current, time), ...(outcome === undefined ? [] : conditionsOf(outcome, time))];
    return {
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(isSuspended(current) ? {} : { startTime: before.startTime ?? time }),
      ...(outcome === "Complete" ? { completionTime: before.completionTime ?? time } : {}),
      ...countFields(counts, outcome === undefined ? counts.active : []),
    };
  });
}

/** Zeros are left out, but for the counts that are always there. */
function countFields({ succeeded, failed }: Counts, running: readonly AnyObject[]): Fields {
  return {
    ...(running.length === 0 ? {} : { active: running.length }),
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 ? {} : { failed }),
    ready: running.filter(isReady).length,
    terminating: 0,
    uncountedTerminatedPods: {},
  };
}

function conditionsOf(outcome: Outcome, time: string): readonly Fields[] {
  const { first, reason, message } = causes[outcome];
  const facts = { status: "True", lastProbeTime: time, lastTransitionTime: time, reason, message };
  return [
    { type: first, ...facts },
    { type: outcome, ...facts },
  ];
}

/** Removes a finished Job after `ttlSecondsAfterFinished`; answers when that is. */
async function removeExpired(objects: Objects, job: AnyObject): Promise<number | undefined> {
  const seconds = valueAt(job, "spec", "ttlSecondsAfterFinished");
  if (typeof seconds !== "number") return undefined;
  const finished = parseTimestamp(endOf(job)?.lastTransitionTime) ?? objects.now;
  const left = finished + seconds * 1000 - objects.now;
  if (left > 0) return left;
  await objects.delete(jobs, job, { propagation: "Background" });
  return undefined;
}
