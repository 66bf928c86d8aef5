import type { AnyObject } from "@kyma-operators/kube";
import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import { equal, type Strategy, type StrategyContext } from "../resource.ts";
import { problemsOf } from "./checks.ts";
import { asText, type Fields, isFields, listAt, textAt, valueAt } from "./edit.ts";
import { refusal, withServiceAccount } from "./pod-account.ts";
import { newPodFields } from "./pod-checks.ts";
import { validatePodSpec } from "./pod-validation.ts";

/** A Pod starts Pending; its spec hardly changes afterwards; it goes after its grace period. */
export const podStrategy: Partial<Strategy> = {
  prepareCreate: (pod, context) => ({
    ...withRuntime(withPriority(withTolerations(withServiceAccount(pod, context)), context), context),
    status: { phase: "Pending", qosClass: qualityOf(pod) },
  }),
  prepareUpdate: (pod, old) => withTolerations(withPriorityOf(pod, old)),
  validate: (pod, old) => [
    ...validatePodSpec(pod.spec, "spec"),
    ...(old === undefined ? problemsOf(newPodFields, pod.spec, "spec") : validateChange(pod, old)),
  ],
  gracePeriodSeconds: (pod) => {
    const { nodeName, terminationGracePeriodSeconds } = pod.spec as Fields;
    const phase = valueAt(pod, "status", "phase");
    if (nodeName === undefined || nodeName === "" || phase === "Succeeded" || phase === "Failed") return 0;
    return typeof terminationGracePeriodSeconds === "number" ? terminationGracePeriodSeconds : 30;
  },
};

const notReady = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** A toleration without a key, or without an effect, is one of all. */
function withTolerations(pod: AnyObject): AnyObject {
  const tolerations = listAt(pod, "spec", "tolerations");
  const bears = (wanted: string, { key, effect }: Fields): boolean =>
    ["", wanted].includes(asText(key)) && ["", "NoExecute"].includes(asText(effect));
  const missing = notReady
    .filter((key) => !tolerations.some((toleration) => bears(key, toleration)))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
  return { ...pod, spec: { ...(pod.spec as Fields), tolerations: [...tolerations, ...missing] } };
}

const systemPriorities: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** The class decides; throws 403 for an unknown one, and for values that are not the class's. */
function withPriority(pod: AnyObject, context: StrategyContext): AnyObject {
  const spec = pod.spec as Fields;
  const { value: priority, preemptionPolicy = "PreemptLowerPriority" } = priorityClassOf(pod, context);
  refuseOther(pod, "the integer value of priority", spec.priority, priority);
  refuseOther(pod, "the string value of PreemptionPolicy", spec.preemptionPolicy, preemptionPolicy);
  return { ...pod, spec: { ...spec, priority, preemptionPolicy } };
}

/** Whoever replaces a Pod need not know what its class made of it. */
function withPriorityOf(pod: AnyObject, old: AnyObject): AnyObject {
  const { priority, preemptionPolicy } = old.spec as Fields;
  return { ...pod, spec: { priority, preemptionPolicy, ...(pod.spec as Fields) } };
}

function refuseOther(pod: AnyObject, what: string, given: unknown, computed: unknown): void {
  if ((given ?? computed) === computed) return;
  const reason = `priority admission controller computed ${asText(computed)} from the given PriorityClass name`;
  throw refusal(pod, `${what} (${asText(given)}) must not be provided in pod spec; ${reason}`);
}

function priorityClassOf(pod: AnyObject, context: StrategyContext): Fields {
  const name = textAt(pod, "spec", "priorityClassName");
  if (name === "") return { value: 0 };
  const found = context.get("scheduling.k8s.io/priorityclasses", "", name);
  if (found !== undefined) return found;
  const value = systemPriorities[name];
  if (value === undefined) throw refusal(pod, `no PriorityClass with name ${name} was found`);
  return { value };
}

/** Throws 403 for a class of runtimes that nobody has defined. */
function withRuntime(pod: AnyObject, context: StrategyContext): AnyObject {
  const name = textAt(pod, "spec", "runtimeClassName");
  if (name === "" || context.get("node.k8s.io/runtimeclasses", "", name) !== undefined) return pod;
  throw refusal(pod, `pod rejected: RuntimeClass "${name}" not found`);
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
  const [next, before] = [pod.spec as Fields, old.spec as Fields];
  return [...validateDeadline(next, before), ...(mayChange(next, before) ? [] : [frozenProblem])];
}

const frozenProblem = fieldProblem(
  "FieldValueForbidden",
  "spec",
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
);

function mayChange(next: Fields, before: Fields): boolean {
  const grace = before.terminationGracePeriodSeconds;
  const isHurried = typeof grace === "number" && grace < 0 && next.terminationGracePeriodSeconds === 1;
  const tolerations = listAt(next, "tolerations");
  return (
    equal(frozenPart(next), frozenPart(before)) &&
    (isHurried || equal(grace, next.terminationGracePeriodSeconds)) &&
    // Whoever plays the scheduler sets the node, once.
    ((before.nodeName ?? "") === "" || before.nodeName === next.nodeName) &&
    listAt(before, "tolerations").every((kept) => tolerations.some((toleration) => equal(toleration, kept)))
  );
}

/** A Pod's time may be cut, and is never given back. */
function validateDeadline(next: Fields, before: Fields): readonly FieldProblem[] {
  const [value, limit] = [next.activeDeadlineSeconds, before.activeDeadlineSeconds];
  const refuse = (detail: string): readonly FieldProblem[] => [
    fieldProblem("FieldValueInvalid", "spec.activeDeadlineSeconds", detail, value ?? null),
  ];
  if (typeof limit !== "number") return [];
  if (typeof value !== "number") return refuse("must not update from a positive integer to nil value");
  return value > limit ? refuse("must be less than or equal to previous value") : [];
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
