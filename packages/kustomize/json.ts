/** A map of an object or a kustomization; objects are changed in place while they are built. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isScalar(value: unknown): value is string | number | bigint | boolean | null {
  return value === null || ["string", "number", "bigint", "boolean"].includes(typeof value);
}

/** The value at a path of keys, or `undefined` when a step is missing. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((current, key) => (isFields(current) ? current[key] : undefined), value);
}

/** The text of a scalar as it would stand in YAML; the empty text for anything else. */
export function scalarText(value: unknown): string {
  if (typeof value === "string") return value;
  return ["number", "bigint", "boolean"].includes(typeof value) ? String(value) : "";
}

/** The map at a key, made when it is missing. */
export function childFields(parent: Fields, key: string): Fields {
  const child = parent[key];
  if (isFields(child)) return child;
  const made: Fields = {};
  setField(parent, key, made);
  return made;
}

/** Sets a key of any name; a plain assignment of `__proto__` would change the object's prototype instead. */
export function setField(parent: Fields, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    parent[key] = value;
  }
}
