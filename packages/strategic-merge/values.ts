export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets a field of a copy; an assignment to `__proto__` would set no field. */
export function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
}

export function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

/** Scalars compare by value, anything else by its JSON: merge keys are scalars, whatever a client sends. */
export function identityOf(value: unknown): string {
  return JSON.stringify(value) ?? "";
}
