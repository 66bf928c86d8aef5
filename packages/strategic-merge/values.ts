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

/** A JSON value as Go prints it (`map[a:1 b:[x]]`), for messages that have to read like Kubernetes' own. */
export function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isFields(value)) return typeof value === "string" ? value : identityOf(value ?? null).replace(/^null$/, "<nil>");
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${fields.map(([name, field]) => `${name}:${goText(field)}`).join(" ")}]`;
}
