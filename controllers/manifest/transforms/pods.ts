import type { AnyObject } from "@kyma-operators/kube";
import { isRecord, type JsonRecord, valueAt } from "../json.ts";

/** `spec.template.spec` of a workload, or `undefined`. */
export function podSpecOf(object: AnyObject): JsonRecord | undefined {
  const spec = valueAt(object, "spec", "template", "spec");
  return isRecord(spec) ? spec : undefined;
}

/** A copy of the workload with another pod spec; shares everything that did not change. */
export function withPodSpec(object: AnyObject, podSpec: JsonRecord): AnyObject {
  const spec = object["spec"] as JsonRecord;
  const template = spec["template"] as JsonRecord;
  return { ...object, spec: { ...spec, template: { ...template, spec: podSpec } } };
}

/** True for the two kinds whose pods the transforms change. */
export function isPatchedWorkload(object: AnyObject): boolean {
  return object.apiVersion.startsWith("apps/") && (object.kind === "Deployment" || object.kind === "StatefulSet");
}
