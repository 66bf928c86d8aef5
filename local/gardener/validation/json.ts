import { isObject, type JsonObject } from "@kyma-operators/gardener";

/** The value at a path of keys; undefined where the path ends early. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), value);
}

/** The list at a path; empty when there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The objects of the list at a path, with their index. */
export function entriesAt(value: unknown, ...path: readonly string[]): readonly (readonly [number, JsonObject])[] {
  return listAt(value, ...path).map((item, index) => [index, isObject(item) ? item : {}] as const);
}

/** The text at a path; empty when there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The number at a path. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "number" ? found : undefined;
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
