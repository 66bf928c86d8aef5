import type { ErrorObject } from "ajv";

/** A text or value in single quotes, as the validator behind helm shows it. */
export function quoted(value: unknown): string {
  return typeof value === "string"
    ? `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
    : JSON.stringify(value);
}

const list = (values: readonly unknown[]): string => values.map(quoted).join(", ");

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

const lengthOf = (value: unknown): number => {
  if (typeof value === "string") return Array.from(value).length;
  if (Array.isArray(value)) return value.length;
  return Object.keys(value as object).length;
};

type Describe = (error: ErrorObject) => string;

const size: Describe = ({ keyword, data, schema }) => `${keyword}: got ${lengthOf(data)}, want ${String(schema)}`;
const bound: Describe = ({ keyword, data, schema }) => `${keyword}: got ${String(data)}, want ${String(schema)}`;

function missing(names: readonly string[]): string {
  return `missing ${names.length === 1 ? "property" : "properties"} ${list(names)}`;
}

const reasons: Readonly<Record<string, (text: string) => string>> = {
  ipv4: (text) => (text.split(".").length === 4 ? "invalid octet" : "expected four decimals"),
};

const texts: Readonly<Record<string, Describe>> = {
  type: ({ data, schema }) =>
    `got ${typeOf(data)}, want ${Array.isArray(schema) ? schema.join(" or ") : String(schema)}`,
  enum: ({ schema }) => `value must be one of ${list(schema as unknown[])}`,
  const: ({ schema }) => `value must be ${quoted(schema)}`,
  required: ({ params }) => missing((params as { missingProperty: string[] }).missingProperty),
  additionalProperties: ({ params }) =>
    `additional properties ${list((params as { additionalProperty: string[] }).additionalProperty)} not allowed`,
  unevaluatedProperties: () => "false schema",
  dependencies: ({ params }) => dependent(params as Dependent),
  dependentRequired: ({ params }) => dependent(params as Dependent),
  minLength: size,
  maxLength: size,
  minItems: size,
  maxItems: size,
  minProperties: size,
  maxProperties: size,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: bound,
  pattern: ({ data, schema }) => `${quoted(data)} does not match pattern ${quoted(schema)}`,
  format: ({ data, schema }) => {
    const [text, format] = [String(data), String(schema)];
    return `${quoted(text)} is not valid ${format}: ${reasons[format]?.(text) ?? "malformed"}`;
  },
  uniqueItems: ({ params }) => {
    const { i, j } = params as { i: number; j: number };
    return `items at ${Math.min(i, j)} and ${Math.max(i, j)} are equal`;
  },
  contains: () => "no items match contains schema",
  "false schema": () => "false schema",
  allOf: () => "'allOf' failed",
  anyOf: () => "'anyOf' failed",
  not: () => "'not' failed",
  oneOf: ({ params }) => {
    const { passingSchemas } = params as { passingSchemas: number[] | null };
    return passingSchemas === null
      ? "'oneOf' failed, none matched"
      : `'oneOf' failed, subschemas ${passingSchemas.join(", ")} matched`;
  },
  propertyNames: ({ params }) => `invalid propertyName ${quoted((params as { propertyName: string }).propertyName)}`,
};

interface Dependent {
  readonly property: string;
  readonly deps: string;
}

function dependent({ property, deps }: Dependent): string {
  const names = deps.split(", ");
  return `${names.length === 1 ? "property" : "properties"} ${list(names)} required, if ${quoted(property)} exists`;
}

/** What is wrong, in the words of the validator behind helm. */
export function describe(error: ErrorObject): string {
  return texts[error.keyword]?.(error) ?? `${error.keyword}: ${error.message ?? "not fulfilled"}`;
}
