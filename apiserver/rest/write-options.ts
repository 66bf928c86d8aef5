import { apiError, type FieldProblem, fieldProblem } from "../api-error.ts";
import type { ApiRequest } from "../http/messages.ts";
import { isTrue } from "../http/request-info.ts";

export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** What the query of a write asks for. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

const managerLimit = 128;
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Reads and checks `dryRun`, `fieldManager`, `fieldValidation` and `force`; `kind` names the options in messages. */
export function parseWriteOptions(
  { query, headers }: ApiRequest,
  kind: string,
  { isApply = false }: { readonly isApply?: boolean } = {},
): WriteOptions {
  const dryRun = query.getAll("dryRun");
  const validation = query.get("fieldValidation") ?? "";
  const manager = query.get("fieldManager") ?? "";
  const isPatch = kind === "PatchOptions";
  const problems = [
    ...(isPatch ? applyProblems(query, isApply) : []),
    ...managerProblems(manager),
    ...dryRunProblems(dryRun),
    ...validationProblems(validation),
  ];
  if (problems.length > 0) throw apiError.invalid({ resource: kind, kind, group: "meta.k8s.io", name: "" }, problems);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager || managerOf(headers["user-agent"]),
    fieldValidation: (validation || "Warn") as FieldValidation,
    force: isTrue(query.get("force")),
  };
}

/** Apply has to name its manager; the other patches take nothing by force. */
function applyProblems(query: URLSearchParams, isApply: boolean): readonly FieldProblem[] {
  if (!isApply) {
    const detail = "may not be specified for non-apply patch";
    return query.has("force") ? [fieldProblem("FieldValueForbidden", "force", detail)] : [];
  }
  if ((query.get("fieldManager") ?? "") !== "") return [];
  return [fieldProblem("FieldValueRequired", "fieldManager", "is required for apply patch")];
}

function dryRunProblems(dryRun: readonly string[]): readonly FieldProblem[] {
  if (dryRun.every((value) => value === "All")) return [];
  const message = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`;
  return [{ reason: "FieldValueNotSupported", field: "dryRun", message }];
}

function validationProblems(validation: string): readonly FieldProblem[] {
  if (["", "Strict", "Warn", "Ignore"].includes(validation)) return [];
  const message = `Unsupported value: ${JSON.stringify(validation)}: supported values: "", "Ignore", "Strict", "Warn"`;
  return [{ reason: "FieldValueNotSupported", field: "fieldValidation", message }];
}

function managerProblems(manager: string): readonly FieldProblem[] {
  const field = "fieldManager";
  if (Buffer.byteLength(manager) > managerLimit)
    return [fieldProblem("FieldValueTooLong", field, `may not be more than ${managerLimit} bytes`)];
  const strange = unprintable.exec(manager);
  if (strange === null) return [];
  const code = (strange[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  const position = Buffer.byteLength(manager.slice(0, strange.index));
  return [fieldProblem("FieldValueInvalid", field, `invalid character U+${code} (at position ${position})`, manager)];
}

/** Without a manager in the query: the program's name in the user agent. */
function managerOf(userAgent: string | undefined): string {
  const name = (userAgent ?? "").split("/")[0] ?? "";
  return name === "" ? "unknown" : name.slice(0, managerLimit);
}
