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
export function parseWriteOptions({ query, headers }: ApiRequest, kind: string): WriteOptions {
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  const validation = query.get("fieldValidation") ?? "";
  const manager = query.get("fieldManager") ?? "";
  const subject = { resource: kind, kind, group: "meta.k8s.io", name: "" };
  const unknown = dryRun.filter((value) => value !== "All");
  if (unknown.length > 0) {
    const message = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`;
    throw apiError.invalid(subject, [{ reason: "FieldValueNotSupported", field: "dryRun", message }]);
  }
  if (!["", "Strict", "Warn", "Ignore"].includes(validation)) {
    const message = `Unsupported value: ${JSON.stringify(validation)}: supported values: "", "Ignore", "Strict", "Warn"`;
    throw apiError.invalid(subject, [{ reason: "FieldValueNotSupported", field: "fieldValidation", message }]);
  }
  const problem = managerProblem(manager);
  if (problem !== undefined) throw apiError.invalid(subject, [problem]);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager === "" ? managerOf(headers["user-agent"]) : manager,
    fieldValidation: validation === "" ? "Warn" : (validation as FieldValidation),
    force: isTrue(query.get("force")),
  };
}

function managerProblem(manager: string): FieldProblem | undefined {
  const field = "fieldManager";
  if (Buffer.byteLength(manager) > managerLimit)
    return fieldProblem("FieldValueTooLong", field, `may not be more than ${managerLimit} bytes`);
  const strange = unprintable.exec(manager);
  if (strange === null) return undefined;
  const code = (strange[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  const position = Buffer.byteLength(manager.slice(0, strange.index));
  return fieldProblem("FieldValueInvalid", field, `invalid character U+${code} (at position ${position})`, manager);
}

/** Without a manager in the query: the program's name in the user agent. */
function managerOf(userAgent: string | undefined): string {
  const name = (userAgent ?? "").split("/")[0] ?? "";
  return name === "" ? "unknown" : name.slice(0, managerLimit);
}
