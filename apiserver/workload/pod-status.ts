import type { AnyObject } from "@kyma-operators/kube";
import { type Fields, listAt, valueAt } from "../resources/kinds/edit.ts";
import { timestamp } from "../system-clock.ts";
import type { Simulation } from "./simulation.ts";

/** A condition whose status stays keeps its time, so that an unchanged Pod costs no write. */
export function keepTimes(conditions: unknown, before: readonly Fields[]): readonly Fields[] {
  return listAt({ conditions }, "conditions").map((condition) => {
    const known = before.find(({ type }) => type === condition.type);
    return known !== undefined && known.status === condition.status
      ? { ...condition, lastTransitionTime: known.lastTransitionTime }
      : condition;
  });
}

export function condition(type: string, holds: boolean, now: number, more: Fields = {}): Fields {
  return { type, status: holds ? "True" : "False", lastTransitionTime: timestamp(now), ...more };
}

export function conditions(ready: boolean, now: number, more: Fields = {}): readonly Fields[] {
  return [
    condition("PodReadyToStartContainers", true, now),
    condition("Initialized", true, now),
    condition("Ready", ready, now, more),
    condition("ContainersReady", ready, now, more),
    condition("PodScheduled", true, now),
  ];
}

export function unschedulable(now: number): Fields {
  const message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
  return {
    phase: "Pending",
    conditions: [condition("PodScheduled", false, now, { reason: "Unschedulable", message })],
  };
}

export function containerStatuses(
  pod: AnyObject,
  name: "containers" | "initContainers",
  state: Fields,
): readonly Fields[] {
  return listAt(pod, "spec", name).map(({ name: container, image }) => ({
    name: container,
    image,
    imageID: "",
    restartCount: 0,
    ready: false,
    started: false,
    ...state,
  }));
}

/** Why a Pod is not Ready: its containers. */
export const notReady = (pod: AnyObject): Fields => {
  const names = listAt(pod, "spec", "containers")
    .map(({ name }) => String(name))
    .join(" ");
  return { reason: "ContainersNotReady", message: `containers with unready status: [${names}]` };
};

export function waitingStatus(pod: AnyObject, now: number): Fields {
  const state = { waiting: { reason: "ContainerCreating" } };
  return {
    phase: "Pending",
    conditions: conditions(false, now, notReady(pod)),
    containerStatuses: containerStatuses(pod, "containers", { state }),
  };
}

function initStatuses(pod: AnyObject, now: number): Fields {
  const finishedAt = timestamp(now);
  const terminated = { exitCode: 0, reason: "Completed", startedAt: finishedAt, finishedAt };
  const statuses = containerStatuses(pod, "initContainers", { ready: true, state: { terminated } });
  return statuses.length === 0 ? {} : { initContainerStatuses: statuses };
}

export function runningStatus(
  pod: AnyObject,
  { now, created, podIP }: { now: number; created: number; podIP: string },
): Fields {
  const state = { running: { startedAt: timestamp(now) } };
  return {
    phase: "Running",
    hostIP: "192.168.0.2",
    hostIPs: [{ ip: "192.168.0.2" }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: valueAt(pod, "status", "startTime") ?? timestamp(created),
    observedGeneration: pod.metadata.generation ?? 1,
    conditions: conditions(true, now),
    ...initStatuses(pod, now),
    containerStatuses: containerStatuses(pod, "containers", { ready: true, started: true, state }),
  };
}

export function finishedStatus(pod: AnyObject, now: number, succeeded: boolean): Fields {
  const times = { startedAt: valueAt(pod, "status", "startTime") ?? timestamp(now), finishedAt: timestamp(now) };
  const terminated = succeeded
    ? { exitCode: 0, reason: "Completed", ...times }
    : { exitCode: 1, reason: "Error", ...times };
  return {
    phase: succeeded ? "Succeeded" : "Failed",
    startTime: times.startedAt,
    conditions: conditions(false, now, { reason: succeeded ? "PodCompleted" : "PodFailed" }),
    ...initStatuses(pod, now),
    containerStatuses: containerStatuses(pod, "containers", { state: { terminated } }),
  };
}

const unhappyStates: Readonly<Record<Exclude<Simulation, "pending" | "fail">, Fields>> = {
  "image-pull-error": { waiting: { reason: "ImagePullBackOff", message: "Back-off pulling image" } },
  "crash-loop": { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container" } },
  "not-ready": { running: {} },
};

export function unhappyStatus(pod: AnyObject, simulation: Simulation, now: number): Fields {
  if (simulation === "fail") return finishedStatus(pod, now, false);
  if (simulation === "pending") return unschedulable(now);
  const crashed = { restartCount: 5, lastState: { terminated: { exitCode: 1, reason: "Error" } } };
  return {
    phase: simulation === "image-pull-error" ? "Pending" : "Running",
    startTime: valueAt(pod, "status", "startTime") ?? timestamp(now),
    conditions: conditions(false, now, notReady(pod)),
    containerStatuses: containerStatuses(pod, "containers", {
      state: unhappyStates[simulation],
      ...(simulation === "crash-loop" ? crashed : {}),
    }),
  };
}
