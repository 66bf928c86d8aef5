import type { AnyObject } from "@kyma-operators/kube";
import { apiError, fieldProblem } from "../api-error.ts";
import { isFields, valueAt } from "../resources/kinds/edit.ts";
import type { ScalePaths, ServedResource } from "../resources/resource.ts";
import { subjectOf } from "../resources/resource.ts";
import { formatLabelSelector } from "../selectors/format-label-selector.ts";
import { asObject, parseBody } from "./body.ts";
import type { View } from "./view.ts";

/** `scale`: the replica counts of an object as `autoscaling/v1` Scale. */
export const scaleView: View = {
  isForeign: true,
  read: (object, resource) => {
    const paths = pathsOf(resource);
    const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
    const selector = selectorText(object, paths);
    return {
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: withoutUndefined({ name, namespace, uid, resourceVersion, creationTimestamp }),
      // Go leaves a count of zero out.
      spec: withoutUndefined({ replicas: valueAt(object, ...paths.specReplicas) || undefined }),
      status: withoutUndefined({ replicas: valueAt(object, ...paths.statusReplicas) ?? 0, selector }),
    };
  },
  write: (old, scale, resource) => {
    const replicas = valueAt(scale, "spec", "replicas") ?? 0;
    if (typeof replicas !== "number" || !Number.isInteger(replicas) || replicas < 0) {
      const detail = "must be greater than or equal to 0";
      const subject = { ...subjectOf(resource, old.metadata.name), kind: "Scale", group: "autoscaling" };
      throw apiError.invalid(subject, [fieldProblem("FieldValueInvalid", "spec.replicas", detail, replicas)]);
    }
    return withValue(old, pathsOf(resource).specReplicas, replicas) as AnyObject;
  },
  decode: (call) => asObject(parseBody(call.request).value),
};

function pathsOf({ scale }: ServedResource): ScalePaths {
  if (scale === undefined) throw apiError.noRoute();
  return scale;
}

/** Built-in kinds select by `spec.selector`; custom resources say where their selector stands as a text. */
function selectorText(object: AnyObject, { labelSelector }: ScalePaths): string | undefined {
  if (labelSelector !== undefined) {
    const text = valueAt(object, ...labelSelector);
    return typeof text === "string" ? text : undefined;
  }
  return formatLabelSelector(valueAt(object, "spec", "selector"));
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function withValue(value: unknown, [name, ...rest]: readonly string[], leaf: unknown): unknown {
  if (name === undefined) return leaf;
  const fields = isFields(value) ? value : {};
  return { ...fields, [name]: withValue(fields[name], rest, leaf) };
}
