import { textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import { compileLabelSelector } from "../../selectors/label-selector.ts";
import { equal, type Strategy } from "../resource.ts";
import { isTimeZone, parseSchedule } from "../schedule.ts";
import { countOrPercent, countOrShare, fields, problemsOf, selector as selectorCheck } from "./checks.ts";
import { type Fields, isFields, textAt, valueAt } from "./edit.ts";
import { validatePodSpec } from "./pod-validation.ts";
import { workloadFields } from "./workload-checks.ts";

const selectorMismatch = "`selector` does not match template `labels`";
const fieldIsImmutable = "field is immutable";

/** Workloads select the Pods of their own template, for ever by the same selector. */
export const workloadStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  "apps/deployments": { validate: validateWorkload },
  "apps/replicasets": { validate: validateWorkload },
  "apps/daemonsets": { validate: validateWorkload },
  "apps/statefulsets": {
    validate: (next, old) => [
      ...validateWorkload(next),
      ...(old === undefined ? [] : validateStatefulChange(next, old)),
    ],
  },
  "batch/jobs": {
    prepareCreate: withGeneratedSelector,
    validate: (next, old) => [
      ...problemsOf(workloadFields.Job ?? nothing, next.spec, "spec"),
      ...jobCounts.flatMap((field) => notNegative(next, field)),
      ...validatePodSpec(valueAt(next, "spec", "template", "spec"), "spec.template.spec"),
      ...validateRestartPolicy(next, "spec.template.spec"),
      ...(old === undefined ? [] : immutable(next, old, ["template", "selector", "completions"])),
    ],
  },
  "batch/cronjobs": {
    validate: (next, old) => {
      const path = "spec.jobTemplate.spec.template.spec";
      return [
        ...validateSchedule(next),
        ...notNegative(next, "startingDeadlineSeconds"),
        ...validatePodSpec(valueAt(next, ...path.split(".")), path),
        ...validateRestartPolicy(next, path),
        ...notNegative(next, "successfulJobsHistoryLimit"),
        ...notNegative(next, "failedJobsHistoryLimit"),
        ...(old === undefined ? validateCronJobName(next) : []),
      ];
    },
  },
};

const jobCounts = ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"];

function validateSchedule(cronJob: AnyObject): readonly FieldProblem[] {
  const schedule = textAt(cronJob, "spec", "schedule");
  if (schedule === "") return [fieldProblem("FieldValueRequired", "spec.schedule", "")];
  const invalid = (error: unknown): FieldProblem =>
    fieldProblem("FieldValueInvalid", "spec.schedule", textOf(error), schedule);
  return [...errorsOf(() => parseSchedule(schedule, "UTC")).map(invalid), ...validateTimeZone(cronJob)];
}

function notNegative({ spec }: AnyObject, field: string): readonly FieldProblem[] {
  const value = valueAt(spec, field);
  const detail = "must be greater than or equal to 0";
  return typeof value === "number" && value < 0
    ? [fieldProblem("FieldValueInvalid", `spec.${field}`, detail, value)]
    : [];
}

/** Jobs carry the name with 11 characters more. */
function validateCronJobName({ metadata: { name = "" } }: AnyObject): readonly FieldProblem[] {
  if (name.length <= 52) return [];
  return [fieldProblem("FieldValueInvalid", "metadata.name", "must be no more than 52 characters", name)];
}

function errorsOf(work: () => unknown): readonly unknown[] {
  try {
    work();
    return [];
  } catch (error) {
    return [error];
  }
}

function validateTimeZone({ spec }: AnyObject): readonly FieldProblem[] {
  const timeZone = valueAt(spec, "timeZone");
  if (typeof timeZone !== "string") return [];
  const problem = (detail: string): FieldProblem =>
    fieldProblem("FieldValueInvalid", "spec.timeZone", detail, timeZone);
  if (timeZone === "") return [problem("timeZone must be nil or non-empty string")];
  const local = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  return [
    ...(timeZone.toLowerCase() === "local" ? [problem(local)] : []),
    ...(timeZone === "Local" || isTimeZone(timeZone) ? [] : [problem(`unknown time zone ${timeZone}`)]),
  ];
}

const nothing = (): void => {};

function validateWorkload(next: AnyObject, old?: AnyObject): readonly FieldProblem[] {
  const spec = next.spec as Fields;
  const template = "spec.template.spec";
  return [
    ...validateSelector(spec),
    ...validateReplicas(spec),
    ...validatePodSpec(valueAt(spec, "template", "spec"), template),
    ...validateAlways(spec, template),
    ...validateStrategy(spec),
    ...problemsOf(workloadFields[next.kind] ?? nothing, spec, "spec"),
    ...(old === undefined || next.kind === "StatefulSet" ? [] : immutable(next, old, ["selector"])),
  ];
}

/** What a controller keeps running is restarted for ever. */
function validateAlways(spec: Fields, path: string): readonly FieldProblem[] {
  const policy = valueAt(spec, "template", "spec", "restartPolicy");
  if (policy === "Always" || policy === undefined) return [];
  const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: "Always"`;
  return [{ reason: "FieldValueNotSupported", field: `${path}.restartPolicy`, message }];
}

function validateStrategy({ strategy }: Fields): readonly FieldProblem[] {
  const { type, rollingUpdate = null } = isFields(strategy) ? strategy : { type: "Recreate" };
  const path = "spec.strategy.rollingUpdate";
  if (type === "RollingUpdate") return validateRollingUpdate(rollingUpdate, path);
  if (type === "Recreate") {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === null ? [] : [fieldProblem("FieldValueForbidden", path, detail)];
  }
  const value = JSON.stringify({ Type: type, RollingUpdate: rollingUpdate });
  const message = `Unsupported value: ${value}: supported values: "Recreate", "RollingUpdate"`;
  return [{ reason: "FieldValueNotSupported", field: "spec.strategy", message }];
}

const rollingFields = fields({ maxUnavailable: countOrShare, maxSurge: countOrPercent });

function validateRollingUpdate(rollingUpdate: unknown, path: string): readonly FieldProblem[] {
  const { maxSurge, maxUnavailable } = isFields(rollingUpdate) ? rollingUpdate : {};
  const problems = problemsOf(rollingFields, rollingUpdate, path);
  if (problems.length > 0 || !isNone(maxSurge) || !isNone(maxUnavailable)) return problems;
  const detail = "may not be 0 when `maxSurge` is 0";
  return [fieldProblem("FieldValueInvalid", `${path}.maxUnavailable`, detail, maxUnavailable)];
}

const isNone = (value: unknown): boolean => value === 0 || (typeof value === "string" && /^0+%$/.test(value));

function validateSelector({ selector, template }: Fields): readonly FieldProblem[] {
  if (!isFields(selector)) {
    const labels = valueAt(template, "metadata", "labels") ?? null;
    return [
      fieldProblem("FieldValueRequired", "spec.selector", ""),
      fieldProblem("FieldValueInvalid", "spec.template.metadata.labels", selectorMismatch, labels),
    ];
  }
  if (Object.keys(selector).length === 0) {
    const problem = fieldProblem(
      "FieldValueInvalid",
      "spec.selector",
      "empty selector is invalid for deployment",
      selector,
    );
    return [problem];
  }
  const problems = problemsOf(selectorCheck, selector, "spec.selector");
  if (problems.length > 0) {
    return [...problems, fieldProblem("FieldValueInvalid", "spec.selector", "invalid label selector", selector)];
  }
  const labels = valueAt(template, "metadata", "labels");
  const matches = compileLabelSelector(selector);
  if (matches(isFields(labels) ? (labels as Readonly<Record<string, string>>) : {})) return [];
  return [fieldProblem("FieldValueInvalid", "spec.template.metadata.labels", selectorMismatch, labels ?? null)];
}

function validateReplicas({ replicas }: Fields): readonly FieldProblem[] {
  if (typeof replicas !== "number" || replicas >= 0) return [];
  return [fieldProblem("FieldValueInvalid", "spec.replicas", "must be greater than or equal to 0", replicas)];
}

function immutable(next: AnyObject, old: AnyObject, names: readonly string[]): readonly FieldProblem[] {
  const spec = next.spec as Fields;
  return names
    .filter((field) => !equal(spec[field], (old.spec as Fields)[field]))
    .map((field) => fieldProblem("FieldValueInvalid", `spec.${field}`, fieldIsImmutable, spec[field] ?? null));
}

const mutableOfStatefulSet = new Set([
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
]);

function validateStatefulChange(next: AnyObject, old: AnyObject): readonly FieldProblem[] {
  const frozen = (spec: Fields): Fields =>
    Object.fromEntries(Object.entries(spec).filter(([name]) => !mutableOfStatefulSet.has(name)));
  if (equal(frozen(next.spec as Fields), frozen(old.spec as Fields))) return [];
  return [
    fieldProblem(
      "FieldValueForbidden",
      "spec",
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ];
}

/** Without `manualSelector` a Job selects its Pods by its own uid. */
function withGeneratedSelector(job: AnyObject): AnyObject {
  const spec = job.spec as Fields;
  if (spec.manualSelector === true) return job;
  const { uid = "", name = "" } = job.metadata;
  const labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  };
  const template = isFields(spec.template) ? spec.template : {};
  const metadata = isFields(template.metadata) ? template.metadata : {};
  const own = isFields(metadata.labels) ? metadata.labels : {};
  // Labels that the Job has from its template follow the template.
  const follows = equal(job.metadata.labels, metadata.labels);
  return {
    ...job,
    metadata: follows ? { ...job.metadata, labels: { ...job.metadata.labels, ...labels } } : job.metadata,
    spec: {
      ...spec,
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
      template: { ...template, metadata: { ...metadata, labels: { ...own, ...labels } } },
    },
  };
}

function validateRestartPolicy(job: AnyObject, path: string): readonly FieldProblem[] {
  const policy = valueAt(job, ...path.split("."), "restartPolicy");
  if (policy === "OnFailure" || policy === "Never") return [];
  if (policy === "Always") {
    return [fieldProblem("FieldValueRequired", `${path}.restartPolicy`, 'valid values: "OnFailure", "Never"')];
  }
  return [
    {
      reason: "FieldValueNotSupported",
      field: `${path}.restartPolicy`,
      message: `Unsupported value: ${JSON.stringify(policy)}: supported values: "OnFailure", "Never"`,
    },
  ];
}
