import type { AnyObject } from "@kyma-operators/kube";
import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import { equal, type Strategy, type StrategyContext } from "../resource.ts";
import { type Fields, isFields, listAt, valueAt } from "./edit.ts";
import { withServiceAccount } from "./pod-account.ts";
import { validatePodSpec } from "./pod-validation.ts";

/** A Pod starts Pending; its spec hardly changes afterwards; it goes after its grace period. */
export const podStrategy: Partial<Strategy> = {
  prepareCreate: (pod, context) => ({
    ...withPriority(withTolerations(withServiceAccount(pod, context)), context),
    status: { phase: "Pending", qosClass: qualityOf(pod) },
  }),
  validate: (pod, old) => [
    ...validatePodSpec(pod.spec, "spec"),
    ...(old === undefined ? [] : validateChange(pod, old)),
  ],
  gracePeriodSeconds: (pod) => {
    const { nodeName, terminationGracePeriodSeconds } = pod.spec as Fields;
    const phase = valueAt(pod, "status", "phase");
    if (nodeName === undefined || nodeName === "" || phase === "Succeeded" || phase === "Failed") return 0;
    return typeof terminationGracePeriodSeconds === "number" ? terminationGracePeriodSeconds : 30;
  },
};

const notReady = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

function withTolerations(pod: AnyObject): AnyObject {
  const tolerations = listAt(pod, "spec", "tolerations");
  const missing = notReady
    .filter((key) => !tolerations.some((toleration) => toleration.key === key))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
  return { ...pod, spec: { ...(pod.spec as Fields), tolerations: [...tolerations, ...missing] } };
}

function withPriority(pod: AnyObject, context: StrategyContext): AnyObject {
  const spec = pod.spec as Fields;
  const { priorityClassName } = spec;
  const priorityClass =
    typeof priorityClassName === "string"
      ? context.get("scheduling.k8s.io/priorityclasses", "", priorityClassName)
      : undefined;
  const priority = priorityClass?.value ?? 0;
  const preemptionPolicy = priorityClass?.preemptionPolicy ?? "PreemptLowerPriority";
  return { ...pod, spec: { ...spec, priority, preemptionPolicy } };
}

/** Guaranteed: every container limits cpu and memory to what it requests. BestEffort: none asks for anything. */
function qualityOf(pod: AnyObject): string {
  const resources = [...listAt(pod, "spec", "containers"), ...listAt(pod, "spec", "initContainers")].map(
    ({ resources }) => (isFields(resources) ? resources : {}),
  );
  const isEmpty = (value: unknown): boolean => !isFields(value) || Object.keys(value).length === 0;
  if (resources.every(({ limits, requests }) => isEmpty(limits) && isEmpty(requests))) return "BestEffort";
  const isGuaranteed = resources.every(
    ({ limits, requests }) =>
      isFields(limits) && "cpu" in limits && "memory" in limits && equal(limits, requests ?? limits),
  );
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

const changeable = new Set([
  "activeDeadlineSeconds",
  "tolerations",
  "terminationGracePeriodSeconds",
  "schedulingGates",
  "nodeName",
]);

function validateChange(pod: AnyObject, old: AnyObject): readonly FieldProblem[] {
  if (equal(frozenPart(pod.spec as Fields), frozenPart(old.spec as Fields))) return [];
  const message =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
  return [fieldProblem("FieldValueForbidden", "spec", message)];
}

function withoutImage(container: Fields): Fields {
  const { image: _, ...rest } = container;
  return rest;
}

function frozenPart(spec: Fields): Fields {
  const withoutImages = (name: string): readonly Fields[] => listAt(spec, name).map(withoutImage);
  const kept = Object.entries(spec).filter(([name]) => !changeable.has(name) && !name.endsWith("ontainers"));
  return {
    ...Object.fromEntries(kept),
    containers: withoutImages("containers"),
    initContainers: withoutImages("initContainers"),
  };
}
