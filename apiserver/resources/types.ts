import type { Schema } from "@kyma-operators/schema";

/** A value that the Go type of a built-in kind can't hold. */
export interface TypeProblem {
  readonly path: string;
  /** In the words of Go's JSON decoder: `string`, `number`, `bool`, `object`, `array`. */
  readonly found: string;
  /** The Go type, as far as the schema tells. */
  readonly expected: string;
}

const goTypes: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "bool",
  number: "float64",
  array: "[]",
  object: "map[string]",
};

/** The first value of a wrong type in the order of the object, or `undefined`. Nulls are absent values to Go. */
export function typeProblem(schema: Schema, value: unknown, path: string): TypeProblem | undefined {
  if (value === null || value === undefined || schema.preserveUnknown) return undefined;
  if (!fits(schema, value)) return { path, found: goName(value), expected: goType(schema) };
  if (Array.isArray(value)) return inList(schema, value, path);
  return typeof value === "object" ? inFields(schema, value as Readonly<Record<string, unknown>>, path) : undefined;
}

function inList(schema: Schema, items: readonly unknown[], path: string): TypeProblem | undefined {
  if (schema.items === undefined) return undefined;
  for (const item of items) {
    const problem = typeProblem(schema.items, item, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function inFields(schema: Schema, fields: Readonly<Record<string, unknown>>, path: string): TypeProblem | undefined {
  const additional = typeof schema.additional === "object" ? schema.additional : undefined;
  for (const [name, value] of Object.entries(fields)) {
    const child = schema.properties.get(name) ?? additional;
    if (child === undefined) continue;
    const problem = typeProblem(child, value, path === "" ? name : `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: (value) => typeof value === "object" && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: (value) => typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value)),
  number: (value) => typeof value === "number" || typeof value === "bigint",
};

function fits(schema: Schema, value: unknown): boolean {
  if (schema.intOrString) return typeof value === "string" || typeof value === "number";
  return schema.type === undefined || (checks[schema.type]?.(value) ?? true);
}

function goName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint" || typeof value === "number") {
    return Number.isInteger(value) ? "number" : `number ${String(value)}`;
  }
  return typeof value;
}

function goType(schema: Schema): string {
  if (schema.type === "integer") return schema.format ?? "int64";
  return goTypes[schema.type ?? ""] ?? "object";
}
