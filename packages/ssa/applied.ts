import type { Schema, SchemaType } from "@kyma-operators/schema";
import { ssa } from "./errors.ts";
import { formatGo, formatGoSyntax, goTypeOf } from "./go-values.ts";
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
  new AppliedCheck(problems).visit(schema, applied, [], false);
  if (problems.length > 0) throw ssa.PATCH_INVALID({ object: nameOf(applied as Fields), problems });
}

function nameOf({ apiVersion, kind, metadata }: Fields): string {
  const { namespace, name } = isFields(metadata) ? metadata : {};
  const version = textOf(apiVersion);
  const groupVersion = version.includes("/") ? version : `/${version}`;
  return `${textOf(namespace)}/${textOf(name)}; ${groupVersion}, Kind=${textOf(kind)}`;
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

  /** @param open - a schema above preserves unknown fields, which holds for everything below it */
  visit(schema: Schema, value: unknown, path: Path, open: boolean): void {
    if (value === null || value === undefined) return;
    const problem = kindProblem(schema, value);
    const openBelow = open || schema.preserveUnknown;
    if (problem !== undefined) this.#report(path, problem);
    else if (isFields(value)) this.#fields(schema, value, path, openBelow);
    else if (Array.isArray(value)) this.#items(schema, value, path, openBelow);
  }

  #fields(schema: Schema, fields: Fields, path: Path, open: boolean): void {
    for (const [name, value] of Object.entries(fields)) {
      const below = [...path, fieldElement(name)];
      if (!open && !isDeclared(schema, name)) return this.#report(below, "field not declared in schema");
      this.visit(fieldSchema(schema, name), value, below, open);
    }
  }

  #items(schema: Schema, list: readonly unknown[], path: Path, open: boolean): void {
    const seen = new Set<string>();
    const keyed = shapeOf(schema, list) === "items";
    for (const { element, value } of itemsOf(schema, list)) {
      const below = [...path, element];
      if (keyed) this.#key({ schema, element, value, path, seen });
      this.visit(itemSchema(schema), value, below, open);
    }
  }

  #key(item: { schema: Schema; element: string; value: unknown; path: Path; seen: Set<string> }): void {
    const { schema, element, value, path, seen } = item;
    if (seen.has(element)) this.#report(path, `duplicate entries for key ${formatPath([element])}`);
    seen.add(element);
    if (schema.listType !== "map" || keyedElement(schema, value) !== undefined) return;
    const keys = schema.listKeys.map((name) => JSON.stringify(name)).join(", ");
    const problem = `associative list with keys has an element that omits key field ${keys} (and doesn't have default value)`;
    this.#report([...path, element], problem);
  }

  #report(path: Path, text: string): void {
    this.#problems.push(`${formatPath(path)}: ${text}`);
  }
}

function isDeclared(schema: Schema, name: string): boolean {
  return schema.properties.has(name) || schema.additional !== false;
}

interface Kind {
  readonly accepts: (value: unknown) => boolean;
  readonly problem: (value: unknown) => string;
}

const isNumeric = (value: unknown): boolean => typeof value === "number" || typeof value === "bigint";
const number: Kind = {
  accepts: isNumeric,
  problem: (value) => `expected numeric (int or float), got ${goTypeOf(value)}`,
};

const kinds: Readonly<Record<SchemaType, Kind>> = {
  object: { accepts: isFields, problem: (value) => `expected map, got &{${formatGo(value)}}` },
  array: { accepts: Array.isArray, problem: (value) => `expected list, got &{${formatGo(value)}}` },
  string: {
    accepts: (value) => typeof value === "string",
    problem: (value) => `expected string, got ${formatGoSyntax(value)}`,
  },
  boolean: {
    accepts: (value) => typeof value === "boolean",
    problem: (value) => `expected boolean, got &{${formatGo(value)}}`,
  },
  integer: number,
  number,
};

/** What is wrong with the kind of a value, as Go prints it. */
function kindProblem({ type }: Schema, value: unknown): string | undefined {
  const kind = type === undefined ? undefined : kinds[type];
  return kind === undefined || kind.accepts(value) ? undefined : kind.problem(value);
}
