import type { AnyObject } from "@kyma-operators/kube";
import { type Fields, listAt, valueAt } from "../../resources/kinds/edit.ts";
import { timestamp } from "../../system-clock.ts";
import { condition, notReady } from "../pod-status.ts";
import type { ContainerRun } from "./container-run.ts";
import type { PodRun } from "./pod-run.ts";

/** `status` of a Pod whose containers are processes. */
export function statusOf(pod: AnyObject, run: PodRun, now: number): Fields {
  const containers = statuses(pod, "containers", run.containers, run.problem);
  const initContainers = statuses(pod, "initContainers", run.initContainers, run.problem);
  const phase = phaseOf(run);
  const isInitialized = run.problem === undefined && run.initContainers.every(({ exitCode }) => exitCode === 0);
  const ready = containers.length > 0 && containers.every((status) => status.ready === true);
  const why = ready ? {} : unreadyReason(pod, phase);
  return {
    phase,
    hostIP: "127.0.0.1",
    hostIPs: [{ ip: "127.0.0.1" }],
    podIP: run.podIP,
    podIPs: [{ ip: run.podIP }],
    startTime: valueAt(pod, "status", "startTime") ?? timestamp(now),
    observedGeneration: pod.metadata.generation ?? 1,
    conditions: [
      condition("PodReadyToStartContainers", run.problem === undefined, now),
      condition("Initialized", isInitialized, now),
      condition("Ready", ready, now, why),
      condition("ContainersReady", ready, now, why),
      condition("PodScheduled", true, now),
    ],
    ...(initContainers.length === 0 ? {} : { initContainerStatuses: initContainers }),
    containerStatuses: containers,
  };
}

function unreadyReason(pod: AnyObject, phase: string): Fields {
  if (phase === "Succeeded") return { reason: "PodCompleted" };
  return phase === "Failed" ? { reason: "PodFailed" } : notReady(pod);
}

function statuses(
  pod: AnyObject,
  field: "containers" | "initContainers",
  runs: readonly ContainerRun[],
  problem: string | undefined,
): readonly Fields[] {
  const reason = problem === undefined ? "PodInitializing" : "ContainerCreating";
  const waiting = { reason, ...(problem === undefined ? {} : { message: problem }) };
  const absent = { state: { waiting }, ready: false, started: false, restartCount: 0 };
  return listAt(pod, "spec", field).map(({ name, image }, index) => {
    const run = runs[index];
    const own = run?.hasBegun === true ? run.status : absent;
    // An init container is ready once it is done.
    const done = field === "initContainers" && run?.exitCode === 0 ? { ready: true } : {};
    return { name, image, imageID: "", ...own, ...done };
  });
}

function phaseOf({ containers, initContainers }: PodRun): string {
  if (initContainers.some(({ exitCode }) => exitCode !== undefined && exitCode !== 0)) return "Failed";
  const codes = containers.map(({ exitCode }) => exitCode);
  if (codes.length > 0 && codes.every((code) => code !== undefined))
    return codes.every((code) => code === 0) ? "Succeeded" : "Failed";
  return containers.some(({ hasBegun }) => hasBegun) ? "Running" : "Pending";
}
