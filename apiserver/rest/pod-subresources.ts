import type { AnyObject } from "@kyma-operators/kube";
import { apiError, fieldProblem } from "../api-error.ts";
import type { ApiResponse } from "../http/messages.ts";
import { type Fields, isFields, valueAt } from "../resources/kinds/edit.ts";
import { subjectOf } from "../resources/resource.ts";
import { typeProblem } from "../resources/types.ts";
import { timestamp } from "../system-clock.ts";
import { asObject, isRecord, parseBody } from "./body.ts";
import { type Call, keyOf, storedObject } from "./call.ts";
import { deleteObject } from "./delete.ts";
import { deleteOptionsOf } from "./delete-options.ts";
import { encode } from "./respond.ts";
import { parseWriteOptions } from "./write-options.ts";

const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** POST of `pods/<name>/eviction`. */
export async function evictPod(call: Call): Promise<ApiResponse> {
  const { dryRun } = parseWriteOptions(call.request, "CreateOptions");
  storedObject(call);
  const eviction = asObject(parseBody(call.request).value);
  const problem = typeProblem("policy/v1", "Eviction", eviction);
  if (problem !== undefined) {
    throw apiError.badRequest(`Eviction in version "v1" cannot be handled as a Eviction: ${problem}`);
  }
  const given = valueAt(eviction, "deleteOptions");
  const options = deleteOptionsOf(isRecord(given) ? given : {});
  const target = { ...call, target: { ...call.target, subresource: "" } };
  await deleteObject(target, { ...options, dryRun: dryRun || options.dryRun });
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
