import { apiError, fieldProblem } from "../api-error.ts";
import type { ApiRequest } from "../http/messages.ts";
import { isTrue } from "../http/request-info.ts";
import { typeProblem } from "../resources/types.ts";
import { asFields, isRecord, parseBody } from "./body.ts";
import { queryInteger } from "./query.ts";

export type Propagation = "Background" | "Foreground" | "Orphan";

/** `DeleteOptions` of body and query. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
}

const propagations = new Set<unknown>(["Orphan", "Background", "Foreground"]);

/** Reads the options from the body, else from the query. Throws 400 or 422. */
export function parseDeleteOptions(request: ApiRequest): DeleteOptions {
  const body = request.body.byteLength === 0 ? undefined : asFields(parseBody(request).value);
  if (body !== undefined) refuseOtherTypes(body);
  const options = deleteOptionsOf(body ?? fromQuery(request.query));
  return { ...options, dryRun: options.dryRun || request.query.getAll("dryRun").includes("All") };
}

/** Options whose fields have the right types. Throws 422. */
export function deleteOptionsOf(fields: Readonly<Record<string, unknown>>): DeleteOptions {
  const propagation = propagationOf(fields);
  const dryRun = Array.isArray(fields.dryRun) ? fields.dryRun : [];
  if (dryRun.some((value) => value !== "All")) {
    refuse("FieldValueNotSupported", "dryRun", `${JSON.stringify(dryRun)}: supported values: "All"`);
  }
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: graceOf(fields.gracePeriodSeconds),
    propagation,
    preconditions: preconditionsOf(fields.preconditions),
  };
}

/** Options that were not understood must delete nothing. */
function refuseOtherTypes(body: Readonly<Record<string, unknown>>): void {
  const problem = typeProblem("v1", "DeleteOptions", body);
  if (problem !== undefined) throw apiError.badRequest(problem);
  const { kind, apiVersion } = body;
  if (!kind || kind === "DeleteOptions") return;
  const shown = JSON.stringify(apiVersion || "v1");
  throw apiError.badRequest(
    `no kind ${JSON.stringify(kind)} is registered for version ${shown} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function fromQuery(query: URLSearchParams): Readonly<Record<string, unknown>> {
  return {
    gracePeriodSeconds: queryInteger(query, "gracePeriodSeconds"),
    ...(query.has("propagationPolicy") ? { propagationPolicy: query.get("propagationPolicy") } : {}),
    ...(query.has("orphanDependents") ? { orphanDependents: isTrue(query.get("orphanDependents")) } : {}),
    dryRun: query.getAll("dryRun"),
  };
}

function propagationOf({
  propagationPolicy,
  orphanDependents,
}: Readonly<Record<string, unknown>>): Propagation | undefined {
  const shown = JSON.stringify(propagationPolicy);
  const isGiven = propagationPolicy !== undefined && propagationPolicy !== null;
  if (isGiven && !propagations.has(propagationPolicy)) {
    const supported = '"Foreground", "Background", "Orphan", "nil"';
    refuse("FieldValueNotSupported", "propagationPolicy", `${shown}: supported values: ${supported}`);
  }
  if (typeof orphanDependents === "boolean") {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    if (isGiven) refuse("FieldValueInvalid", "propagationPolicy", `${shown}: ${detail}`);
    return orphanDependents ? "Orphan" : "Background";
  }
  if (!isGiven) return undefined;
  return propagationPolicy as Propagation;
}

function graceOf(value: unknown): number | undefined {
  if (typeof value !== "number") return undefined;
  if (value >= 0) return Math.trunc(value);
  // Kubernetes reads a negative period as the shortest one.
  return 1;
}

function preconditionsOf(value: unknown): DeleteOptions["preconditions"] {
  if (!isRecord(value)) return {};
  return {
    ...(typeof value.uid === "string" ? { uid: value.uid } : {}),
    ...(typeof value.resourceVersion === "string" ? { resourceVersion: value.resourceVersion } : {}),
  };
}

function refuse(reason: "FieldValueInvalid" | "FieldValueNotSupported", field: string, detail: string): never {
  const subject = { resource: "", kind: "DeleteOptions", group: "meta.k8s.io", name: "" };
  throw apiError.invalid(subject, [fieldProblem(reason, field, detail)]);
}
