import type { Schema } from "@kyma-operators/schema";
import { ssa } from "./errors.ts";
import { fieldElement, formatPath } from "./path-element.ts";
import { type Fields, fieldSchema, isFields, itemSchema, itemsOf, keyedElement, shapeOf } from "./shape.ts";

/**
 * Checks that an applied configuration can be read under the schema: known fields, containers where the schema has
 * containers, list items with their keys, no item twice.
 *
 * Throws `SSA_PATCH_INVALID` with Kubernetes' words for each fault.
 */
export function checkApplied(schema: Schema, applied: object): void {
  const problems: string[] = [];
  new AppliedCheck(problems).visit(schema, applied, []);
  if (problems.length > 0) throw ssa.PATCH_INVALID({ object: nameOf(applied as Fields), problems });
}

function nameOf({ apiVersion, kind, metadata }: Fields): string {
  const { namespace, name } = isFields(metadata) ? metadata : {};
  return `${textOf(namespace)}/${textOf(name)}; ${textOf(apiVersion)}, Kind=${textOf(kind)}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

type Path = readonly string[];

class AppliedCheck {
  readonly #problems: string[];

  constructor(problems: string[]) {
    this.#problems = problems;
  }

  visit(schema: Schema, value: unknown, path: Path): void {
    if (value === null || value === undefined) return;
    const expected = expectedKind(schema);
    const found = kindOf(value);
    if (expected !== undefined && expected !== found) {
      this.#report(path, `expected ${expected}, got ${describe(value)}`);
    } else if (isFields(value)) this.#fields(schema, value, path);
    else if (Array.isArray(value)) this.#items(schema, value, path);
  }

  #fields(schema: Schema, fields: Fields, path: Path): void {
    for (const [name, value] of Object.entries(fields)) {
      const below = [...path, fieldElement(name)];
      if (isDeclared(schema, name)) this.visit(fieldSchema(schema, name), value, below);
      else this.#report(below, "field not declared in schema");
    }
  }

  #items(schema: Schema, list: readonly unknown[], path: Path): void {
    const seen = new Set<string>();
    const keyed = shapeOf(schema, list) === "items";
    for (const { element, value } of itemsOf(schema, list)) {
      const below = [...path, element];
      if (keyed) this.#key({ schema, element, value, path, seen });
      this.visit(itemSchema(schema), value, below);
    }
  }

  #key(item: { schema: Schema; element: string; value: unknown; path: Path; seen: Set<string> }): void {
    const { schema, element, value, path, seen } = item;
    if (seen.has(element)) this.#report(path, `duplicate entries for key ${formatPath([element])}`);
    seen.add(element);
    if (schema.listType !== "map" || keyedElement(schema, value) !== undefined) return;
    const keys = schema.listKeys.map((name) => JSON.stringify(name)).join(", ");
    this.#report(
      [...path, element],
      `associative list with keys has an element that omits key field ${keys} (and doesn't have default value)`,
    );
  }

  #report(path: Path, text: string): void {
    this.#problems.push(`${formatPath(path)}: ${text}`);
  }
}

function isDeclared(schema: Schema, name: string): boolean {
  return schema.properties.has(name) || schema.additional !== false || schema.preserveUnknown;
}

function expectedKind(schema: Schema): string | undefined {
  if (schema.type === "object") return "map";
  if (schema.type === "array") return "list";
  return undefined;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "list";
  return isFields(value) ? "map" : "scalar";
}

function describe(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}
