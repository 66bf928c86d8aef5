import type { AnyObject } from "@kyma-operators/kube";
import type { Objects } from "../controllers/objects.ts";
import { type Fields, listAt, textAt, valueAt } from "../resources/kinds/edit.ts";
import { lastDue, parseSchedule, type Schedule } from "../resources/schedule.ts";
import { parseTimestamp, timestamp } from "../system-clock.ts";
import { controlledBy, controlledObjects, runController } from "./controller.ts";
import { endOf, jobs } from "./jobs.ts";
import { numberAt } from "./pod-state.ts";

const cronJobs = "batch/cronjobs";
const scheduledAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/** Longer waits are cut: timers have a limit, and clocks are set. */
const longestWaitMs = 24 * 3_600_000;

/** Starts Jobs when they are due, and forgets old ones. */
export function runCronJobController(objects: Objects): () => void {
  return runController(objects, {
    collection: cronJobs,
    kind: "CronJob",
    owned: [jobs],
    sync: (cronJob) => syncCronJob(objects, cronJob),
  });
}

async function syncCronJob(objects: Objects, cronJob: AnyObject): Promise<number | undefined> {
  await removeHistory(objects, cronJob);
  await writeStatus(objects, cronJob, undefined);
  const { metadata } = cronJob;
  if (metadata.deletionTimestamp !== undefined || valueAt(cronJob, "spec", "suspend") === true) return undefined;
  const schedule = scheduleOf(cronJob);
  const due = dueTime(cronJob, schedule, objects.now);
  if (due !== undefined && mayStart(objects, cronJob)) await startJob(objects, cronJob, due);
  const next = schedule.next(objects.now);
  return next === undefined ? undefined : Math.min(longestWaitMs, next - objects.now);
}

/** Checked when the CronJob was written. */
function scheduleOf(cronJob: AnyObject): Schedule {
  return parseSchedule(textAt(cronJob, "spec", "schedule"), textAt(cronJob, "spec", "timeZone") || "UTC");
}

/** The last time that was due and did not get its Job, unless its deadline is over. */
function dueTime(cronJob: AnyObject, schedule: Schedule, now: number): number | undefined {
  const last = parseTimestamp(valueAt(cronJob, "status", "lastScheduleTime"));
  const created = parseTimestamp(cronJob.metadata.creationTimestamp) ?? now;
  const deadlineMs = numberAt(cronJob, Number.POSITIVE_INFINITY, "spec", "startingDeadlineSeconds") * 1000;
  const due = lastDue(schedule, Math.max(last ?? created, now - deadlineMs), now);
  return due !== undefined && due + deadlineMs >= now ? due : undefined;
}

/** What was started on time and runs; Jobs that somebody made of the CronJob by hand don't count. */
const activeJobs = (objects: Objects, cronJob: AnyObject): readonly AnyObject[] =>
  controlledObjects(objects, jobs, cronJob).filter(
    (job) => endOf(job) === undefined && job.metadata.annotations?.[scheduledAnnotation] !== undefined,
  );

function mayStart(objects: Objects, cronJob: AnyObject): boolean {
  return valueAt(cronJob, "spec", "concurrencyPolicy") !== "Forbid" || activeJobs(objects, cronJob).length === 0;
}

async function startJob(objects: Objects, cronJob: AnyObject, due: number): Promise<void> {
  const { name = "", namespace = "" } = cronJob.metadata;
  if (valueAt(cronJob, "spec", "concurrencyPolicy") === "Replace") {
    for (const job of activeJobs(objects, cronJob)) await objects.delete(jobs, job, { propagation: "Background" });
  }
  // The name says the time, so that no time gets two Jobs.
  const jobName = `${name}-${Math.floor(due / 60_000)}`;
  if (objects.get(jobs, namespace, jobName) === undefined) {
    const template = (valueAt(cronJob, "spec", "jobTemplate") ?? {}) as {
      readonly metadata?: Fields;
      readonly spec?: Fields;
    };
    const annotations = {
      ...(template.metadata?.annotations as Fields | undefined),
      [scheduledAnnotation]: timestamp(due),
    };
    await objects.create(jobs, {
      metadata: {
        ...template.metadata,
        name: jobName,
        namespace,
        annotations: annotations as Readonly<Record<string, string>>,
        ownerReferences: [controlledBy(cronJob)],
      },
      spec: template.spec,
    });
  }
  await writeStatus(objects, cronJob, due);
}

async function writeStatus(objects: Objects, cronJob: AnyObject, due: number | undefined): Promise<void> {
  const successes = controlledObjects(objects, jobs, cronJob)
    .map((job) => valueAt(job, "status", "completionTime"))
    .filter((time): time is string => typeof time === "string")
    .sort();
  const active = activeJobs(objects, cronJob).map((job) => ({
    kind: "Job",
    apiVersion: "batch/v1",
    namespace: job.metadata.namespace,
    name: job.metadata.name,
    uid: job.metadata.uid,
    resourceVersion: job.metadata.resourceVersion,
  }));
  await objects.changeStatus(cronJobs, cronJob, (current) => {
    const { active: before, ...kept } = (current.status ?? {}) as Fields;
    const known = new Map(listAt({ before }, "before").map((reference) => [reference.uid, reference]));
    const last = successes.at(-1) ?? kept.lastSuccessfulTime;
    return {
      // A reference is made once: the Job's version at that moment stays in it.
      ...(active.length === 0 ? {} : { active: active.map((reference) => known.get(reference.uid) ?? reference) }),
      ...kept,
      ...(due === undefined ? {} : { lastScheduleTime: timestamp(due) }),
      ...(last === undefined ? {} : { lastSuccessfulTime: last }),
    };
  });
}

/** Finished Jobs beyond the limits go, the oldest first. */
async function removeHistory(objects: Objects, cronJob: AnyObject): Promise<void> {
  const limits = {
    Complete: numberAt(cronJob, 3, "spec", "successfulJobsHistoryLimit"),
    Failed: numberAt(cronJob, 1, "spec", "failedJobsHistoryLimit"),
  };
  for (const [type, limit] of Object.entries(limits)) {
    const finished = controlledObjects(objects, jobs, cronJob)
      .filter((job) => endOf(job)?.type === type && job.metadata.deletionTimestamp === undefined)
      .sort((a, b) => (startOf(a) < startOf(b) ? -1 : 1));
    for (const job of finished.slice(0, Math.max(0, finished.length - limit)))
      await objects.delete(jobs, job, { propagation: "Background" });
  }
}

const startOf = (job: AnyObject): string => textAt(job, "status", "startTime");
