import { isAppError } from "@kyma-operators/errors";

export interface FieldConflict {
  /** Who owns the field; empty when the server did not say. */
  readonly manager: string;
  /** For example `.spec.replicas`. */
  readonly field: string;
}

/** The fields for which a server-side apply was refused (`KUBE_APPLY_CONFLICT`), with their owners. */
export function conflictsOf(error: unknown): readonly FieldConflict[] {
  if (!isAppError(error) || error.code !== "KUBE_APPLY_CONFLICT") return [];
  const { causes = [] } = error.detail as { causes?: readonly { field: string; message: string }[] };
  return causes.map(({ field, message }) => ({ field, manager: /"([^"]*)"/.exec(message)?.[1] ?? "" }));
}
