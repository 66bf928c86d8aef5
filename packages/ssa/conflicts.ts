import { type FieldSet, pathsOf } from "./field-set.ts";
import type { Identity } from "./owners.ts";
import { formatPath } from "./path-element.ts";

/** One field that another manager owns and the applied configuration would change. */
export interface Conflict extends Identity {
  /** For example `.spec.ports[port=80].name`. */
  readonly field: string;
  /** The same as path elements of `FieldsV1`. */
  readonly path: readonly string[];
}

export function conflictsOf(owner: Identity, set: FieldSet): readonly Conflict[] {
  const { manager, operation, apiVersion, subresource } = owner;
  return [...pathsOf(set)].map((path) => ({
    manager,
    operation,
    apiVersion,
    subresource,
    field: formatPath(path),
    path,
  }));
}

/** The cause of a conflict as Kubernetes words it: `conflict with "kubectl" using apps/v1`. */
export function formatConflict(conflict: Conflict): string {
  return `conflict with ${managerOf(conflict)}`;
}

/** The message of the 409 for these conflicts, letter for letter. */
export function formatConflicts(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${managerOf(first)}: ${first.field}`;
  }
  const byManager = Map.groupBy(conflicts, managerOf);
  const lines = [...byManager.keys()]
    .sort()
    .flatMap((manager) => [
      `conflicts with ${manager}:`,
      ...(byManager.get(manager) ?? []).map(({ field }) => `- ${field}`),
    ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function managerOf({ manager, subresource, operation, apiVersion }: Conflict): string {
  const name = JSON.stringify(manager) + (subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`);
  if (operation !== "Update") return name;
  return `${name} using ${apiVersion}`;
}
