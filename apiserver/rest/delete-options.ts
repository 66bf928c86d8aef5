import { apiError, fieldProblem } from "../api-error.ts";
import type { ApiRequest } from "../http/messages.ts";
import { isRecord, parseBody } from "./body.ts";

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
  const body = request.body.byteLength === 0 ? undefined : parseBody(request).value;
  if (body !== undefined && !isRecord(body)) throw apiError.badRequest("DeleteOptions must be a JSON object");
  const fields = body ?? fromQuery(request.query);
  const propagation = propagationOf(fields);
  const dryRun = Array.isArray(fields.dryRun) ? fields.dryRun : [];
  const problem = dryRun.find((value) => value !== "All");
  if (problem !== undefined) {
    refuse(`Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`, "dryRun");
  }
  return {
    dryRun: dryRun.length > 0 || request.query.getAll("dryRun").includes("All"),
    gracePeriodSeconds: graceOf(fields.gracePeriodSeconds),
    propagation,
    preconditions: preconditionsOf(fields.preconditions),
  };
}

function fromQuery(query: URLSearchParams): Readonly<Record<string, unknown>> {
  const grace = query.get("gracePeriodSeconds");
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(query.has("propagationPolicy") ? { propagationPolicy: query.get("propagationPolicy") } : {}),
    ...(query.has("orphanDependents") ? { orphanDependents: query.get("orphanDependents") === "true" } : {}),
    dryRun: query.getAll("dryRun"),
  };
}

function propagationOf({
  propagationPolicy,
  orphanDependents,
}: Readonly<Record<string, unknown>>): Propagation | undefined {
  if (typeof orphanDependents === "boolean") return orphanDependents ? "Orphan" : "Background";
  if (propagationPolicy === undefined || propagationPolicy === null || propagationPolicy === "") return undefined;
  if (!propagations.has(propagationPolicy)) {
    refuse(
      `Unsupported value: ${JSON.stringify(propagationPolicy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
      "propagationPolicy",
    );
  }
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

function refuse(message: string, field: string): never {
  const subject = { resource: "", kind: "DeleteOptions", group: "meta.k8s.io", name: "" };
  throw apiError.invalid(subject, [{ ...fieldProblem("FieldValueNotSupported", field, ""), message }]);
}
