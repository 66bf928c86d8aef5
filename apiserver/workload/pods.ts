import type { AnyObject } from "@kyma-operators/kube";
import type { Objects } from "../controllers/objects.ts";
import type { WorkloadOptions } from "../options.ts";
import { type Fields, listAt, valueAt } from "../resources/kinds/edit.ts";
import { parseTimestamp, timestamp } from "../system-clock.ts";
import { runController } from "./controller.ts";
import { isOfOwnImage } from "./own-image/is-of-own-image.ts";
import { isFinished, phaseOf } from "./pod-state.ts";
import { finishedStatus, keepTimes, runningStatus, unhappyStatus, unschedulable, waitingStatus } from "./pod-status.ts";
import { readyDelayOf, simulationOf } from "./simulation.ts";

/** The only node of the simulated cluster. */
export const nodeName = "kyma-node";
const pods = "/pods";

/** Plays scheduler and kubelet: Pods are bound, become Ready after a delay, complete, fail as annotated, and go. */
export function runPodSimulator(objects: Objects, options: WorkloadOptions): () => void {
  const simulating = { options, appointments: new Map<string, number>(), nextAddress: addresses("10.244") };
  const { ownImage } = options;
  return runController(objects, {
    collection: pods,
    kind: "Pod",
    owned: [],
    sync: async (pod) => {
      if (ownImage !== undefined && isOfOwnImage(pod, ownImage)) return undefined;
      if (pod.metadata.deletionTimestamp !== undefined || isFinished(pod)) {
        forget(simulating, pod);
        return pod.metadata.deletionTimestamp === undefined ? undefined : terminate(objects, pod);
      }
      if (valueAt(pod, "spec", "nodeName") === undefined) await bind(objects, pod);
      return advance(objects, pod, simulating);
    },
  });
}

/** Addresses of Pods below a network of 16 bits, one after the other. */
export function addresses(network: string): () => string {
  let last = 0;
  return () => {
    last += 1;
    return `${network}.${(last >> 8) & 255}.${last & 255}`;
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
