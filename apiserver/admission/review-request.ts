import type { AdmissionRequest } from "./admission.ts";

const optionKinds = { CREATE: "CreateOptions", UPDATE: "UpdateOptions", DELETE: "DeleteOptions" } as const;

/** A write as webhooks and expressions see it: `request` of an AdmissionReview. */
export function reviewRequest(request: AdmissionRequest, uid: string): Readonly<Record<string, unknown>> {
  const { resource, subresource, namespace, name, operation, user, dryRun, object, oldObject } = request;
  const kind = { group: resource.group, version: resource.version, kind: resource.kind };
  const plural = { group: resource.group, version: resource.version, resource: resource.plural };
  const below = subresource === "" ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    uid,
    kind,
    resource: plural,
    requestKind: kind,
    requestResource: plural,
    ...below,
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: { username: user.name, groups: user.groups, ...(user.uid === undefined ? {} : { uid: user.uid }) },
    object: operation === "DELETE" ? null : object,
    oldObject: oldObject ?? null,
    dryRun,
    options: { apiVersion: "meta.k8s.io/v1", kind: optionKinds[operation] },
  };
}

/** The AdmissionReview that asks a webhook. */
export function admissionReview(request: AdmissionRequest, uid: string): unknown {
  return { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", request: reviewRequest(request, uid) };
}

/** The object, as it was and as it would be, and the request, under the names that expressions have for them. */
export function reviewInputs(request: AdmissionRequest): Readonly<Record<string, unknown>> {
  const { object, oldObject, ...about } = reviewRequest(request, "");
  return { object, oldObject, request: about };
}
