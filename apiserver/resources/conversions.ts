import type { AnyObject } from "@kyma-operators/kube";
import type { ServedResource } from "./resource.ts";

type Conversions = Pick<ServedResource, "fromStorage" | "toStorage">;

/** Between versions that differ in their fields. Everything else is stored as it is shown. */
export function conversionsOf(group: string, version: string, plural: string): Conversions {
  if (plural === "events" && group === "events.k8s.io") return { fromStorage: toNewEvent, toStorage: toCoreEvent };
  if (plural === "events")
    return { fromStorage: (event) => ({ ...event, apiVersion: "v1" }), toStorage: (event) => event };
  if (plural === "horizontalpodautoscalers" && version === "v1")
    return { fromStorage: toScalerV1, toStorage: toScalerV2 };
  return {};
}

/** Fields of events as the core group and `events.k8s.io` name them. */
const renamed = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
] as const;

function rename(object: AnyObject, apiVersion: string, pairs: readonly (readonly [string, string])[]): AnyObject {
  const names = new Map(pairs);
  const entries = Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]);
  return { ...Object.fromEntries(entries), apiVersion } as AnyObject;
}

const toNewEvent = (event: AnyObject): AnyObject => rename(event, "events.k8s.io/v1", renamed);
const toCoreEvent = (event: AnyObject): AnyObject =>
  rename(
    event,
    "v1",
    renamed.map(([core, newer]) => [newer, core] as const),
  );

interface ScalerSpec {
  readonly targetCPUUtilizationPercentage?: number;
  readonly metrics?: readonly CpuMetric[];
  readonly [field: string]: unknown;
}

interface CpuMetric {
  readonly type: string;
  readonly resource?: { readonly name: string; readonly target: { readonly averageUtilization?: number } };
}

function toScalerV1(scaler: AnyObject): AnyObject {
  const { metrics, behavior: _, ...spec } = (scaler.spec ?? {}) as ScalerSpec;
  const cpu = metrics?.find(({ resource }) => resource?.name === "cpu")?.resource?.target.averageUtilization;
  const target = cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu };
  return { ...scaler, apiVersion: "autoscaling/v1", spec: { ...spec, ...target } };
}

function toScalerV2(scaler: AnyObject): AnyObject {
  const { targetCPUUtilizationPercentage: cpu, ...spec } = (scaler.spec ?? {}) as ScalerSpec;
  const target = { type: "Utilization", averageUtilization: cpu };
  const metrics = cpu === undefined ? {} : { metrics: [{ type: "Resource", resource: { name: "cpu", target } }] };
  return { ...scaler, apiVersion: "autoscaling/v2", spec: { ...spec, ...metrics } };
}
