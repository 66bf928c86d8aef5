import type { AnyObject } from "@kyma-operators/kube";
import { apiError, fieldProblem } from "../api-error.ts";
import type { ApiResponse } from "../http/messages.ts";
import { type Fields, isFields, valueAt } from "../resources/kinds/edit.ts";
import { subjectOf } from "../resources/resource.ts";
import { timestamp } from "../system-clock.ts";
import { asObject, isRecord, parseBody } from "./body.ts";
import { type Call, keyOf, storedObject } from "./call.ts";
import { deleteObject } from "./delete.ts";
import { encode } from "./respond.ts";
import { parseWriteOptions } from "./write-options.ts";

const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** POST of `pods/<name>/eviction`. */
export async function evictPod(call: Call): Promise<ApiResponse> {
  const { dryRun } = parseWriteOptions(call.request, "CreateOptions");
  storedObject(call);
  const options = valueAt(asObject(parseBody(call.request).value), "deleteOptions");
  const grace = valueAt(options, "gracePeriodSeconds");
  const target = { ...call, target: { ...call.target, subresource: "" } };
  await deleteObject(target, {
    dryRun,
    gracePeriodSeconds: typeof grace === "number" ? grace : undefined,
    propagation: undefined,
    preconditions: isRecord(valueAt(options, "preconditions")) ? (valueAt(options, "preconditions") as object) : {},
  });
  return encode(201, success);
}

/** POST of `pods/<name>/binding`: what a scheduler does. */
export function bindPod(call: Call): ApiResponse {
  const { dryRun } = parseWriteOptions(call.request, "CreateOptions");
  const pod = storedObject(call);
  const node = valueAt(asObject(parseBody(call.request).value), "target", "name");
  if (typeof node !== "string" || node === "") {
    const subject = { resource: "", kind: "Binding", group: "", name: call.target.name };
    throw apiError.invalid(subject, [fieldProblem("FieldValueRequired", "target.name", "")]);
  }
  const spec = pod.spec as Fields;
  if (isText(spec.nodeName)) {
    const message = `pod ${call.target.name} is already assigned to node "${spec.nodeName}"`;
    throw apiError.conflict({ ...subjectOf(call.resource, call.target.name), resource: "pods/binding" }, message);
  }
  if (!dryRun) call.core.store.put(keyOf(call), bound(pod, node, call.now));
  return encode(201, success);
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function bound(pod: AnyObject, nodeName: string, now: number): AnyObject {
  const status = isFields(pod.status) ? pod.status : {};
  const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: timestamp(now) };
  return { ...pod, spec: { ...(pod.spec as Fields), nodeName }, status: { ...status, conditions: [scheduled] } };
}
