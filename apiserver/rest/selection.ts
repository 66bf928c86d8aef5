import type { AnyObject } from "@kyma-operators/kube";
import { readAs } from "../resources/resource.ts";
import { parseFieldSelector } from "../selectors/field-selector.ts";
import { parseLabelSelector } from "../selectors/label-selector.ts";
import type { Call } from "./call.ts";

/** Which objects of a collection a list, watch or delete is about. */
export interface Selection {
  /** Absent: every namespace. */
  readonly namespace: string | undefined;
  matches(object: AnyObject): boolean;
  readonly isEverything: boolean;
}

/** Reads namespace, name and selectors of a request. Throws 400 for a selector that can't be understood. */
export function selectionOf({ resource, target, request }: Call): Selection {
  const labelText = request.query.get("labelSelector") ?? "";
  const fieldText = request.query.get("fieldSelector") ?? "";
  const labels = labelText === "" ? undefined : parseLabelSelector(labelText);
  const fields =
    fieldText === ""
      ? undefined
      : parseFieldSelector(fieldText, `${resource.group}/${resource.plural}`, resource.custom?.selectableFields);
  const { name } = target;
  return {
    namespace: resource.namespaced && target.namespace !== "" ? target.namespace : undefined,
    isEverything: labels === undefined && fields === undefined && name === "",
    matches: (object) =>
      (name === "" || object.metadata.name === name) &&
      (labels === undefined || labels(object.metadata.labels)) &&
      (fields === undefined || fields(readAs(resource, object))),
  };
}
