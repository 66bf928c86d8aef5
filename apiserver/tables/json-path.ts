import { asText } from "../resources/kinds/edit.ts";

/** One step of a path. */
type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  | {
      readonly kind: "filter";
      readonly path: readonly string[];
      readonly operator: string;
      readonly value: string | undefined;
    };

const lengthLimit = 1_000;
const stepPattern =
  /\.(?!\*)((?:\\.|[^.[\]\\\s])+)|\[(\d+|-\d+)\]|\[\*\]|\.\*|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[\?\(@((?:\.[\w$-]+)+)\s*(?:(==|!=|<=|>=|<|>)\s*("[^"]*"|'[^']*'|[\w.+-]+))?\s*\)\]/y;

/** A compiled JSONPath of Kubernetes' dialect: the values it finds, in order. */
export type JsonPath = (value: unknown) => readonly unknown[];

/** Compiles `.spec.x`, `.status.conditions[?(@.type=="Ready")].status`, `.items[*].name`; `undefined` when it is no such path. */
export function compileJsonPath(text: string): JsonPath | undefined {
  const steps = text.length > lengthLimit ? undefined : parseSteps(text.trim().replace(/^\{|\}$/g, ""));
  if (steps === undefined) return undefined;
  return (value) =>
    steps.reduce<readonly unknown[]>((found, step) => found.flatMap((item) => take(item, step)), [value]);
}

function parseSteps(text: string): readonly Step[] | undefined {
  const pattern = new RegExp(stepPattern);
  const path = text.startsWith("$") ? text.slice(1) : text;
  const steps: Step[] = [];
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (match === null) return undefined;
    steps.push(stepOf(match));
  }
  return steps;
}

function stepOf([text, field, index, single, double, filter, operator = "", value]: RegExpExecArray): Step {
  const name = field ?? single ?? double;
  if (name !== undefined) return { kind: "field", name: name.replaceAll(/\\(.)/g, "$1") };
  if (index !== undefined) return { kind: "index", index: Number(index) };
  if (filter !== undefined) {
    return { kind: "filter", path: filter.slice(1).split("."), operator, value: value?.replaceAll(/^["']|["']$/g, "") };
  }
  return text === undefined ? { kind: "all" } : { kind: "all" };
}

function take(value: unknown, step: Step): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  switch (step.kind) {
    case "field":
      return present(
        Object.hasOwn(value, step.name) ? (value as Readonly<Record<string, unknown>>)[step.name] : undefined,
      );
    case "index":
      return present(Array.isArray(value) ? value.at(step.index) : undefined);
    case "all":
      return Object.values(value);
    case "filter":
      return Object.values(value).filter((item) => passes(item, step));
    default:
      return [];
  }
}

const present = (value: unknown): readonly unknown[] => (value === undefined ? [] : [value]);

function passes(item: unknown, { path, operator, value }: Extract<Step, { kind: "filter" }>): boolean {
  const found = path.reduce<unknown>(
    (at, name) => (typeof at === "object" && at !== null ? (at as Readonly<Record<string, unknown>>)[name] : undefined),
    item,
  );
  if (found === undefined) return false;
  if (operator === "" || value === undefined) return true;
  const text = typeof found === "object" ? JSON.stringify(found) : asText(found);
  return compare(text, operator, value);
}

function compare(text: string, operator: string, value: string): boolean {
  if (operator === "==") return text === value;
  if (operator === "!=") return text !== value;
  const [left, right] = [Number(text), Number(value)];
  if (operator === "<") return left < right;
  if (operator === ">") return left > right;
  return operator === "<=" ? left <= right : left >= right;
}
