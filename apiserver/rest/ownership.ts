import type { AnyObject } from "@kyma-operators/kube";
import { type FieldPath, updateManagedFields } from "@kyma-operators/ssa";
import { timestamp } from "../system-clock.ts";
import type { Call } from "./call.ts";
import type { WriteOptions } from "./write-options.ts";

/** A state on its way into the store. */
export interface Tracked {
  readonly next: AnyObject;
  /** In the version of the call; absent when the object is created. */
  readonly old: AnyObject | undefined;
  readonly options: WriteOptions;
}

/** Records in `metadata.managedFields` who owns what after a write. */
export type Tracker = (call: Call, tracked: Tracked) => AnyObject;

/** Ownership after anything but an apply. */
export const trackUpdate: Tracker = (call, { next, old, options }) => {
  const { resource, target, now } = call;
  return updateManagedFields({
    live: old,
    next,
    manager: options.fieldManager,
    schema: resource.schema,
    subresource: target.subresource,
    resetFields: resetFieldsOf(call),
    now: timestamp(now),
  });
};

/** After an apply: the merge has recorded it already. */
export const trackApplied: Tracker = (_call, { next }) => next;

/** Fields that the endpoint of the request does not write. */
export function resetFieldsOf({ resource, target }: Call): readonly FieldPath[] {
  if (target.subresource === "status") return resource.custom === undefined ? [["spec"]] : [["spec"], ["metadata"]];
  return resource.strategy.hasStatus ? [["status"]] : [];
}
