import { type FieldProblem, fieldProblem } from "../../../apiserver/index.ts";

/** Collects the problems of one object, worded as Kubernetes words them. */
export class Problems {
  readonly list: FieldProblem[] = [];

  required(field: string, detail = ""): void {
    this.list.push(fieldProblem("FieldValueRequired", field, detail));
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.list.push(fieldProblem("FieldValueInvalid", field, detail, value));
  }

  unsupported(field: string, value: unknown, allowed: readonly string[]): void {
    const values = allowed.map((each) => JSON.stringify(each)).join(", ");
    this.list.push(fieldProblem("FieldValueNotSupported", field, `supported values: ${values}`, value));
  }

  duplicate(field: string, value: unknown, detail = ""): void {
    this.list.push(fieldProblem("FieldValueDuplicate", field, detail, value));
  }

  forbidden(field: string, detail: string): void {
    this.list.push(fieldProblem("FieldValueForbidden", field, detail));
  }

  tooLong(field: string, limit: number): void {
    this.list.push(fieldProblem("FieldValueTooLong", field, `may not be more than ${limit} bytes`));
  }

  /** Required when absent, unsupported when not in the list. */
  oneOf(field: string, value: unknown, allowed: readonly string[]): void {
    if (value !== undefined && !allowed.some((each) => each === value)) this.unsupported(field, value, allowed);
  }

  immutable(field: string, before: unknown, after: unknown): void {
    if (JSON.stringify(before) !== JSON.stringify(after)) this.invalid(field, after, "field is immutable");
  }

  /** Duplicates among the values of one key of a list. */
  unique(field: string, key: string, values: readonly unknown[]): void {
    for (const [index, value] of values.entries()) {
      if (value && values.indexOf(value) < index) this.duplicate(`${field}[${index}].${key}`, value);
    }
  }
}
