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
    const keyed = shapeOf(schema, list) === "items";
    const seen = new Set<string>();
    for (const [index, { element, value }] of itemsOf(schema, list).entries()) {
      const problem = keyed ? itemProblem(schema, value) : undefined;
      if (problem !== undefined) return this.#report(path, `element ${index}: ${problem}`);
      if (keyed && seen.has(element)) this.#report(path, `duplicate entries for key ${formatPath([element])}`);
      seen.add(element);
      this.visit(itemSchema(schema), value, [...path, element], open);
    }
  }

  #report(path: Path, text: string): void {
    this.#problems.push(`${formatPath(path)}: ${text}`);
  }
}

/** Why a value cannot be an item of this set or keyed list. */
function itemProblem(schema: Schema, value: unknown): string | undefined {
  if (schema.listType === "set") return setItemProblem(value);
  if (value === null) return "associative list with keys may not have a null element";
  if (!isFields(value)) return "associative list with keys may not have non-map elements";
  if (keyedElement(schema, value) !== undefined) return undefined;
  const keys = schema.listKeys.map((name) => JSON.stringify(name)).join(" ");
  const none = "(and doesn't have default values for any key fields)";
  return `associative list with keys has an element that omits all key fields [${keys}] ${none}`;
}

function setItemProblem(value: unknown): string | undefined {
  if (value === null) return "associative list without keys has an element that's an explicit null";
  if (Array.isArray(value)) return "not supported: associative list with lists as elements";
  return isFields(value) ? "associative list without keys has an element that's a map type" : undefined;
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
