/** A JSON object whose fields are not known here. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object at a path of keys; empty when there is none. */
export function objectAt(value: unknown, ...path: readonly string[]): JsonObject {
  const found = path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), value);
  return isObject(found) ? found : {};
}

/** The list under a key, objects only; empty when there is none. */
export function objectsAt(value: JsonObject, key: string): readonly JsonObject[] {
  const list = value[key];
  return Array.isArray(list) ? list.filter(isObject) : [];
}
