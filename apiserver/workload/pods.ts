import type { AnyObject } from "@kyma-operators/kube";
import type { Objects } from "../controllers/objects.ts";
import type { WorkloadOptions } from "../options.ts";
import { type Fields, listAt, valueAt } from "../resources/kinds/edit.ts";
import { parseTimestamp, timestamp } from "../system-clock.ts";
import { runController } from "./controller.ts";
import { isFinished, phaseOf } from "./pod-state.ts";
import { readyDelayOf, type Simulation, simulationOf } from "./simulation.ts";

/** The only node of the simulated cluster. */
export const nodeName = "kyma-node";
const pods = "/pods";

/** Plays scheduler and kubelet: Pods are bound, become Ready after a delay, complete, fail as annotated, and go. */
export function runPodSimulator(objects: Objects, options: WorkloadOptions): () => void {
  const simulating = { options, appointments: new Map<string, number>(), nextAddress: addresses() };
  return runController(objects, {
    collection: pods,
    kind: "Pod",
    owned: [],
    sync: async (pod) => {
      if (pod.metadata.deletionTimestamp !== undefined || isFinished(pod)) {
        forget(simulating, pod);
        return pod.metadata.deletionTimestamp === undefined ? undefined : terminate(objects, pod);
      }
      if (valueAt(pod, "spec", "nodeName") === undefined) await bind(objects, pod);
      return advance(objects, pod, simulating);
    },
  });
}

function addresses(): () => string {
  let last = 0;
  return () => {
    last += 1;
    return `10.244.${(last >> 8) & 255}.${last & 255}`;
  };
}

function forget({ appointments }: Simulating, { metadata }: AnyObject): void {
  for (const step of ["ready", "complete"]) appointments.delete(`${metadata.uid}/${step}`);
}

/** Milliseconds until a step of a Pod is due; the delay counts from the first time it is asked for. */
function untilStep({ appointments }: Simulating, key: string, delayMs: number, now: number): number {
  const due = appointments.get(key) ?? now + delayMs;
  appointments.set(key, due);
  return due - now;
}

/** Simulated containers stop at once. */
async function terminate(objects: Objects, pod: AnyObject): Promise<undefined> {
  if ((pod.metadata.deletionGracePeriodSeconds ?? 0) > 0) await objects.delete(pods, pod, { gracePeriodSeconds: 0 });
}

async function bind(objects: Objects, pod: AnyObject): Promise<void> {
  if (simulationOf(pod) === "pending") return;
  await objects.change(pods, pod, (current) => ({ ...current, spec: { ...(current.spec as Fields), nodeName } }));
}

interface Simulating {
  readonly options: WorkloadOptions;
  /** When the next step of a Pod is due, by uid and step. */
  readonly appointments: Map<string, number>;
  nextAddress(): string;
}

/** Takes the Pod to the state it should have by now; answers when the next one is due. */
async function advance(objects: Objects, pod: AnyObject, simulating: Simulating): Promise<number | undefined> {
  const { now } = objects;
  const { uid } = pod.metadata;
  const simulation = simulationOf(pod);
  if (simulation === "pending") return write(objects, pod, unschedulable(now));
  const readyMs = readyDelayOf(pod, simulating.options.readyDelayMs ?? 0);
  const untilReady = phaseOf(pod) === "Pending" ? untilStep(simulating, `${uid}/ready`, readyMs, now) : 0;
  if (untilReady > 0) {
    await write(objects, pod, {
      ...waitingStatus(pod, now),
      startTime: valueAt(pod, "status", "startTime") ?? timestamp(now),
    });
    return untilReady;
  }
  if (simulation !== undefined) return write(objects, pod, unhappyStatus(pod, simulation, now));
  if (phaseOf(pod) === "Pending") return start(objects, pod, simulating);
  return isBatch(pod) ? complete(objects, pod, simulating) : undefined;
}

async function start(objects: Objects, pod: AnyObject, simulating: Simulating): Promise<undefined> {
  const created = parseTimestamp(pod.metadata.creationTimestamp) ?? objects.now;
  await write(objects, pod, runningStatus(pod, { now: objects.now, created, podIP: simulating.nextAddress() }));
}

async function complete(objects: Objects, pod: AnyObject, simulating: Simulating): Promise<number | undefined> {
  const left = untilStep(
    simulating,
    `${pod.metadata.uid}/complete`,
    simulating.options.completeDelayMs ?? 0,
    objects.now,
  );
  return left > 0 ? left : write(objects, pod, finishedStatus(pod, objects.now, true));
}

/** Pods that are not restarted for ever are expected to end. */
function isBatch(pod: AnyObject): boolean {
  return valueAt(pod, "spec", "restartPolicy") !== "Always";
}

async function write(objects: Objects, pod: AnyObject, status: Fields): Promise<undefined> {
  await objects.changeStatus(pods, pod, (current) => {
    const before = current.status as Fields | undefined;
    return { ...before, ...status, conditions: keepTimes(status.conditions, listAt(before, "conditions")) };
  });
}

/** A condition whose status stays keeps its time, so that an unchanged Pod costs no write. */
function keepTimes(conditions: unknown, before: readonly Fields[]): readonly Fields[] {
  return listAt({ conditions }, "conditions").map((condition) => {
    const known = before.find(({ type }) => type === condition.type);
    return known !== undefined && known.status === condition.status
      ? { ...condition, lastTransitionTime: known.lastTransitionTime }
      : condition;
  });
}

function condition(type: string, holds: boolean, now: number, more: Fields = {}): Fields {
  return { type, status: holds ? "True" : "False", lastTransitionTime: timestamp(now), ...more };
}

function conditions(ready: boolean, now: number, more: Fields = {}): readonly Fields[] {
  return [
    condition("PodReadyToStartContainers", true, now),
    condition("Initialized", true, now),
    condition("Ready", ready, now, more),
    condition("ContainersReady", ready, now, more),
    condition("PodScheduled", true, now),
  ];
}

function unschedulable(now: number): Fields {
  const message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
  return {
    phase: "Pending",
    conditions: [condition("PodScheduled", false, now, { reason: "Unschedulable", message })],
  };
}

function containerStatuses(pod: AnyObject, name: "containers" | "initContainers", state: Fields): readonly Fields[] {
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

const notReady = (pod: AnyObject): Fields => {
  const names = listAt(pod, "spec", "containers")
    .map(({ name }) => String(name))
    .join(" ");
  return { reason: "ContainersNotReady", message: `containers with unready status: [${names}]` };
};

function waitingStatus(pod: AnyObject, now: number): Fields {
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

function runningStatus(
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

function finishedStatus(pod: AnyObject, now: number, succeeded: boolean): Fields {
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

function unhappyStatus(pod: AnyObject, simulation: Simulation, now: number): Fields {
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
