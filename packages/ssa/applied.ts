import { anything, type Schema, type SchemaType } from "@kyma-operators/schema";
import { ssa } from "./errors.ts";
import { formatGo, formatGoSyntax, goTypeOf } from "./go-values.ts";
import { fieldElement, formatPath } from "./path-element.ts";
import { type Fields, isFields, itemSchema, itemsOf, keyedElement, shapeOf } from "./shape.ts";

/**
 * Checks that an applied configuration can be read under the schema: known fields, containers where the schema has
 * containers, list items with their keys, no item twice. What live holds just so was checked when it came.
 *
 * Throws `SSA_PATCH_INVALID` with Kubernetes' words for each fault.
 */
export function checkApplied(schema: Schema, applied: object, { live, merged }: Known): void {
  const problems: string[] = [];
  new AppliedCheck(problems).visit(schema, applied, { live, merged, open: false });
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

/** The live value beside the applied one, and what the merge of the two gave. */
interface Known {
  readonly live: unknown;
  readonly merged: unknown;
}

interface Place extends Known {
  /** A schema above preserves unknown fields, which holds for everything below it. */
  readonly open: boolean;
}

class AppliedCheck {
  readonly #problems: string[];
  /** Where the walk is: a field by its bare name, an item by its element. Spelled out only for a problem. */
  readonly #path: (string | { readonly element: string })[] = [];

  constructor(problems: string[]) {
    this.#problems = problems;
  }

  visit(schema: Schema, value: unknown, place: Place): void {
    if (typeof value !== "object" || value === null) return this.#scalar(schema, value);
    // The merge keeps a live leaf only when the applied one equals it.
    if (place.merged === place.live && place.live !== undefined && shapeOf(schema, value) === "leaf") return;
    const problem = kindProblem(schema, value);
    const open = place.open || schema.preserveUnknown;
    if (problem !== undefined) this.#report(problem);
    else if (Array.isArray(value)) this.#items(schema, value, open);
    else this.#fields(schema, value as Fields, { ...place, open });
  }

  #scalar(schema: Schema, value: unknown): void {
    const problem = value === null || value === undefined ? undefined : kindProblem(schema, value);
    if (problem !== undefined) this.#report(problem);
  }

  #fields(schema: Schema, fields: Fields, { live, merged, open }: Place): void {
    const [before, after] = [isFields(live) ? live : noFields, isFields(merged) ? merged : noFields];
    for (const name in fields) {
      this.#path.push(name);
      const child = declaredSchema(schema, name) ?? (open ? anything : undefined);
      if (child === undefined) this.#report("field not declared in schema");
      else this.visit(child, fields[name], { live: before[name], merged: after[name], open });
      this.#path.pop();
      if (child === undefined) return;
    }
  }

  #items(schema: Schema, list: readonly unknown[], open: boolean): void {
    const item = itemSchema(schema);
    if (shapeOf(schema, list) === "items") return this.#keyedItems(schema, list, open);
    for (const [index, value] of list.entries()) {
      this.#path.push({ element: `i:${index}` });
      this.visit(item, value, { ...unknown, open });
      this.#path.pop();
    }
  }

  #keyedItems(schema: Schema, list: readonly unknown[], open: boolean): void {
    const seen = new Set<string>();
    for (const [index, { element, value }] of itemsOf(schema, list).entries()) {
      const problem = itemProblem(schema, value);
      if (problem !== undefined) return this.#report(`element ${index}: ${problem}`);
      if (seen.has(element)) this.#report(`duplicate entries for key ${formatPath([element])}`);
      seen.add(element);
      this.#path.push({ element });
      this.visit(itemSchema(schema), value, { ...unknown, open });
      this.#path.pop();
    }
  }

  #report(text: string): void {
    const path = this.#path.map((step) => (typeof step === "string" ? fieldElement(step) : step.element));
    this.#problems.push(`${formatPath(path)}: ${text}`);
  }
}

const noFields: Fields = {};
const unknown: Known = { live: undefined, merged: undefined };

function declaredSchema({ properties, additional }: Schema, name: string): Schema | undefined {
  const property = properties.get(name);
  if (property !== undefined || additional === false) return property;
  return additional === true ? anything : additional;
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
