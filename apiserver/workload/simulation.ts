import type { AnyObject } from "@kyma-operators/kube";

/** Annotation of a Pod (or Pod template) that makes the simulator show an unhappy Pod. */
export const simulateAnnotation = "simulator.kyma-project.io/pod";

/** Annotation that overrides the delay until Ready, in milliseconds. */
export const delayAnnotation = "simulator.kyma-project.io/ready-delay-ms";

/** What the annotation may ask for. */
export type Simulation = "image-pull-error" | "crash-loop" | "pending" | "not-ready" | "fail";

const simulations: ReadonlySet<string> = new Set(["image-pull-error", "crash-loop", "pending", "not-ready", "fail"]);

/** How this Pod is to go wrong; `undefined` when it is to go well. */
export function simulationOf({ metadata }: AnyObject): Simulation | undefined {
  const wish = metadata.annotations?.[simulateAnnotation];
  return wish !== undefined && simulations.has(wish) ? (wish as Simulation) : undefined;
}

/** Milliseconds from scheduling to Ready. */
export function readyDelayOf({ metadata }: AnyObject, fallbackMs: number): number {
  const delay = Number(metadata.annotations?.[delayAnnotation] ?? fallbackMs);
  return Number.isFinite(delay) && delay >= 0 ? delay : fallbackMs;
}
