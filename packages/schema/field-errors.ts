import type { Value } from "./types.ts";

export type FieldErrorReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueNotFound"
  | "InternalError";

/** One fault of an object: what stands in `details.causes` of Kubernetes' 422. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** Path of the field; `<nil>` where Kubernetes names none. */
  readonly field: string;
  readonly message: string;
}

/** Kubernetes prints this for an error without a path. */
export const nowhere = "<nil>";

export function required(field: string, detail = ""): FieldError {
  return { reason: "FieldValueRequired", field, message: withDetail("Required value", detail) };
}

export function invalid(field: string, value: Value, detail: string): FieldError {
  return { reason: "FieldValueInvalid", field, message: withDetail(`Invalid value: ${quote(value)}`, detail) };
}

export function typeInvalid(field: string, value: Value, detail: string): FieldError {
  return { reason: "FieldValueTypeInvalid", field, message: withDetail(`Invalid value: ${quote(value)}`, detail) };
}

export function notSupported(field: string, value: Value, supported: readonly Value[]): FieldError {
  const values = supported.map((entry) => quote(typeof entry === "string" ? entry : quote(entry))).join(", ");
  return {
    reason: "FieldValueNotSupported",
    field,
    message: `Unsupported value: ${quote(value)}: supported values: ${values}`,
  };
}

export function duplicate(field: string, value: Value): FieldError {
  return { reason: "FieldValueDuplicate", field, message: `Duplicate value: ${quote(value)}` };
}

export function forbidden(field: string, detail: string): FieldError {
  return { reason: "FieldValueForbidden", field, message: withDetail("Forbidden", detail) };
}

export function tooLong(field: string, maxLength: number): FieldError {
  return {
    reason: "FieldValueTooLong",
    field,
    message: `Too long: may not be more than ${counted(maxLength, "byte")}`,
  };
}

export function tooMany(field: string, count: number, maxItems: number): FieldError {
  return {
    reason: "FieldValueTooMany",
    field,
    message: `Too many: ${count}: must have at most ${counted(maxItems, "item")}`,
  };
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}

/** Not yet in TypeScript's library. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** A value as messages show it; integers beyond 2^53 with all their digits. */
export function quote(value: Value): string {
  if (value === undefined) return "null";
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? rawJSON(String(inner)) : inner));
}

/** One error as Kubernetes prints it: `spec.replicas: Invalid value: -1: …`. */
export function formatFieldError({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}

/** All errors as the message of a 422 shows them, each text once. */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(formatFieldError))];
  const [only = ""] = texts;
  return texts.length === 1 ? only : `[${texts.join(", ")}]`;
}
