import type { AnyObject } from "@kyma-operators/kube";
import { apiError, type FieldProblem } from "../api-error.ts";
import { validateImmutableMetadata, validateMetadata } from "../resources/metadata.ts";
import { subjectOf } from "../resources/resource.ts";
import { schemaProblems } from "../resources/schema-problems.ts";
import { type Call, strategyContext } from "./call.ts";

/** Throws 422 with every problem of a new object. */
export function validateNew(call: Call, object: AnyObject): void {
  const { resource } = call;
  refuse(call, object, [
    ...validateMetadata(object, {
      namespaced: resource.namespaced,
      checkName: resource.strategy.checkName,
      custom: resource.custom !== undefined,
    }),
    ...schemaProblems(resource, object, undefined),
    ...(resource.strategy.validate?.(object, undefined, strategyContext(call)) ?? []),
  ]);
}

/** Throws 422 with every problem of a changed object. */
export function validateNext(call: Call, object: AnyObject, old: AnyObject): void {
  const { resource } = call;
  refuse(call, object, [
    ...validateMetadata(object, {
      namespaced: resource.namespaced,
      checkName: () => [],
      custom: resource.custom !== undefined,
    }),
    ...validateImmutableMetadata(object.metadata, old.metadata),
    ...schemaProblems(resource, object, old),
    ...(resource.strategy.validate?.(object, old, strategyContext(call)) ?? []),
  ]);
}

function refuse(call: Call, object: AnyObject, problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw apiError.invalid(subjectOf(call.resource, object.metadata.name), problems);
}
