import { fieldProblem } from "../../api-error.ts";
import { validateAnnotationKeys } from "../metadata.ts";
import {
  all,
  atLeast,
  type Check,
  countOrShare,
  fields,
  forbidden,
  items,
  label,
  labels,
  oneOf,
  unless,
} from "./checks.ts";
import { asText, type Fields, isFields } from "./edit.ts";
import { claimProblems } from "./storage.ts";

const annotations: Check = (value, path, problems) => {
  problems.push(...validateAnnotationKeys(isFields(value) ? value : {}, path));
};

/** The template of Pods that a controller of this kind keeps running for ever. */
const template = (kind: string): Check =>
  all(
    (value, path, problems) => {
      const { metadata } = value as Fields;
      fields({ labels, annotations })(metadata, path, problems);
    },
    fields({
      spec: forbidden(
        ({ activeDeadlineSeconds }) => activeDeadlineSeconds !== undefined,
        "activeDeadlineSeconds",
        `activeDeadlineSeconds in ${kind} is not Supported`,
      ),
    }),
  );

const counts = { minReadySeconds: atLeast(0), revisionHistoryLimit: atLeast(0) };

const slowEnough: Check = (value, path, problems) => {
  const { progressDeadlineSeconds: limit, minReadySeconds: least = 0 } = value as Readonly<Record<string, number>>;
  if (limit === undefined || limit > least) return;
  const field = `${path}.progressDeadlineSeconds`;
  problems.push(fieldProblem("FieldValueInvalid", field, "must be greater than minReadySeconds", limit));
};

const isNone = (value: unknown): boolean => value === 0 || /^0+%$/.test(asText(value));

/** How a kind that updates by itself says so: its words for an unknown type. */
const updateStrategy =
  (refuse: (path: string, shown: object) => ReturnType<typeof fieldProblem>): Check =>
  (value, path, problems) => {
    const { type, rollingUpdate = null } = value as Fields;
    if (type === "RollingUpdate" || type === "OnDelete") return;
    problems.push(refuse(path, { Type: type, RollingUpdate: rollingUpdate }));
  };

const daemonUpdate: Check = (value, path, problems) => {
  const { maxUnavailable = 1, maxSurge = 0 } = value as Fields;
  countOrShare(maxUnavailable, `${path}.maxUnavailable`, problems);
  countOrShare(maxSurge, `${path}.maxSurge`, problems);
  if (!isNone(maxUnavailable) || !isNone(maxSurge)) return;
  const field = `${path}.maxUnavailable`;
  problems.push(fieldProblem("FieldValueRequired", field, "cannot be 0 when maxSurge is 0"));
};

/** Rules of each kind's spec beyond selector, replicas and Pods. */
export const workloadFields: Readonly<Record<string, Check>> = {
  Deployment: all(
    fields({ ...counts, progressDeadlineSeconds: atLeast(0), template: template("ReplicaSet") }),
    slowEnough,
  ),
  ReplicaSet: fields({ ...counts, template: template("ReplicaSet") }),
  DaemonSet: fields({
    ...counts,
    template: template("DaemonSet"),
    updateStrategy: all(
      updateStrategy((path, shown) =>
        fieldProblem("FieldValueNotSupported", path, 'supported values: "RollingUpdate", "OnDelete"', shown),
      ),
      fields({ rollingUpdate: daemonUpdate }),
    ),
  }),
  StatefulSet: fields({
    ...counts,
    template: template("StatefulSet"),
    podManagementPolicy: unless(
      (value) => value === "OrderedReady" || value === "Parallel",
      "must be 'OrderedReady' or 'Parallel'",
    ),
    updateStrategy: all(
      updateStrategy((path, shown) =>
        fieldProblem("FieldValueInvalid", path, "must be 'RollingUpdate' or 'OnDelete'", shown),
      ),
      fields({ rollingUpdate: fields({ partition: atLeast(0) }) }),
    ),
    volumeClaimTemplates: items((value, path, problems) => {
      problems.push(...claimProblems((value as Fields).spec, `${path}.spec`));
    }),
    serviceName: label,
  }),
  Job: fields({ completionMode: oneOf("NonIndexed", "Indexed") }),
};
