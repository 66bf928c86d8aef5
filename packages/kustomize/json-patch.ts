import { isDeepStrictEqual } from "node:util";
import { type Budget, stepsFor } from "./budget.ts";
import { type Fields, isFields, setField } from "./json.ts";

/** One operation of a JSON patch (RFC 6902). */
export interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

type Container = Fields | unknown[];

/**
 * Applies operations to an object in place. As in kustomize, `replace` of a key that is not there adds it.
 *
 * Throws a text with the path at fault.
 *
 * @param budget - pays for the values that are copied.
 */
export function applyOperations(document: Fields, operations: readonly Operation[], budget: Budget): void {
  for (const operation of operations) apply(document, operation, budget);
}

/** Reads operations; throws when the value is no JSON patch. */
export function readOperations(value: unknown): readonly Operation[] {
  if (!Array.isArray(value)) throw new Error("expected a list of operations");
  return value.map((entry: unknown) => {
    if (!isFields(entry) || typeof entry["op"] !== "string" || typeof entry["path"] !== "string") {
      throw new Error("every operation needs the texts op and path");
    }
    return entry as unknown as Operation;
  });
}

function apply(document: Fields, { op, path, from, value }: Operation, budget: Budget): void {
  switch (op) {
    case "add":
      return add(document, path, budget.copy(value));
    case "replace":
      return replace(document, path, budget.copy(value));
    case "remove":
      remove(document, path);
      return;
    case "move":
      return add(document, path, remove(document, from ?? ""));
    case "copy":
      return add(document, path, budget.copy(read(document, from ?? "")));
    case "test":
      budget.spend(stepsFor(value));
      return test(document, path, value);
    default:
      throw new Error(`unexpected kind: ${op}`);
  }
}

function test(document: Fields, path: string, value: unknown): void {
  const found = lookUp(document, path) ?? null;
  if (!isDeepStrictEqual(found, value ?? null)) throw new Error(`testing value ${path} failed: test failed`);
}

function add(document: Fields, path: string, value: unknown): void {
  const { parent, key } = locate(document, path);
  if (!Array.isArray(parent)) return setField(parent, key, value);
  const index = key === "-" ? parent.length : indexIn(key, parent.length, path);
  parent.splice(index, 0, value);
}

function replace(document: Fields, path: string, value: unknown): void {
  const { parent, key } = locate(document, path);
  if (Array.isArray(parent)) parent[indexIn(key, parent.length - 1, path)] = value;
  else setField(parent, key, value);
}

function remove(document: Fields, path: string): unknown {
  const { parent, key } = locate(document, path);
  if (Array.isArray(parent)) return parent.splice(indexIn(key, parent.length - 1, path), 1)[0];
  if (!Object.hasOwn(parent, key)) throw new Error(`Unable to remove nonexistent key: ${path}`);
  const value = parent[key];
  delete parent[key];
  return value;
}

function read(document: Fields, path: string): unknown {
  const value = lookUp(document, path);
  if (value === undefined) throw new Error(`${path}: nothing is there`);
  return value;
}

function lookUp(document: Fields, path: string): unknown {
  const { parent, key } = locate(document, path);
  if (Array.isArray(parent)) return parent[indexIn(key, parent.length - 1, path)];
  return Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function locate(document: Fields, path: string): { readonly parent: Container; readonly key: string } {
  const keys = keysOf(path);
  const last = keys.pop();
  if (last === undefined) throw new Error(`${JSON.stringify(path)} names no field`);
  let node: unknown = document;
  for (const key of keys) node = step(node, key, path);
  if (!isFields(node) && !Array.isArray(node))
    throw new Error(`${path}: missing path, there is nothing to hold ${last}`);
  return { parent: node, key: last };
}

function step(node: unknown, key: string, path: string): unknown {
  if (Array.isArray(node)) return node[indexIn(key, node.length - 1, path)];
  return isFields(node) && Object.hasOwn(node, key) ? node[key] : undefined;
}

/** `/a~1b/0` → `a/b`, `0`. */
function keysOf(path: string): string[] {
  if (!path.startsWith("/")) throw new Error(`path ${JSON.stringify(path)} must begin with /`);
  return path
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function indexIn(key: string, highest: number, path: string): number {
  const index = /^-?\d+$/.test(key) ? Number(key) : Number.NaN;
  const positive = index < 0 ? highest + 1 + index : index;
  if (Number.isNaN(index) || positive < 0 || positive > highest) {
    throw new Error(`${path}: Unable to access invalid index: ${key}`);
  }
  return positive;
}
