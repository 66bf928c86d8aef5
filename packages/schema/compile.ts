import { rawIdentity } from "./object-meta.ts";
import type { Definitions, Limits, RawSchema, Rule, Schema, SchemaType, Value } from "./types.ts";

type Draft = { -readonly [K in keyof Schema]: Schema[K] };

const types: ReadonlySet<unknown> = new Set(["object", "array", "string", "integer", "number", "boolean"]);
const noLimits: Limits = { exclusiveMinimum: false, exclusiveMaximum: false, uniqueItems: false };
const noProperties: ReadonlyMap<string, Schema> = new Map();
const none: readonly never[] = [];

export function isRecord(value: unknown): value is RawSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : none;
}

/**
 * Compiles OpenAPI v3 schemas, those of CRDs and the published ones of built-in kinds alike.
 *
 * One compiler keeps what it has compiled by definition name, so that kinds share their parts and recursive
 * definitions end.
 */
export class SchemaCompiler {
  readonly #definitions: Definitions;
  readonly #byName = new Map<string, Schema>();
  /** Definitions that are being filled. */
  readonly #open = new Set<string>();

  constructor(definitions: Definitions = () => undefined) {
    this.#definitions = definitions;
  }

  /** The compiled definition of this name; undefined when there is none. */
  definition(name: string): Schema | undefined {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const raw = this.#definitions(name);
    if (raw === undefined) return undefined;
    const draft = emptySchema();
    // Known before it is filled, so that a definition may contain itself.
    this.#byName.set(name, draft);
    this.#open.add(name);
    this.#fill(draft, raw);
    this.#open.delete(name);
    // A published definition without fields is free-form JSON (RawExtension, JSON, FieldsV1).
    if (isFreeForm(draft)) draft.preserveUnknown = true;
    draft.properties = new Map(
      [...draft.properties].map(([field, child]) => [field, draft.required.includes(field) ? withZero(child) : child]),
    );
    return draft;
  }

  compile(raw: RawSchema): Schema {
    const target = referenceIn(raw);
    if (target !== undefined) return this.#referred(target, raw);
    const draft = emptySchema();
    this.#fill(draft, raw);
    return draft;
  }

  /** A reference with something beside it, for example a default: the definition, plus that. */
  #referred(name: string, raw: RawSchema): Schema {
    const definition = this.definition(name) ?? anything;
    const beside = besideReference(raw);
    // A copy of what is not filled yet would stay empty for ever.
    return beside === undefined || this.#open.has(name) ? definition : overlay(definition, beside);
  }

  #fill(draft: Draft, raw: RawSchema): void {
    draft.type = types.has(raw.type) ? (raw.type as SchemaType) : undefined;
    draft.format = typeof raw.format === "string" ? raw.format : undefined;
    draft.nullable = raw.nullable === true;
    draft.default = raw.default;
    draft.enum = Array.isArray(raw.enum) ? raw.enum : undefined;
    draft.required = textsOf(raw.required);
    draft.limits = limitsOf(raw);
    this.#fillChildren(draft, raw);
    this.#fillLogic(draft, raw);
    fillExtensions(draft, raw);
    draft.hasDefaults = holdsDefaults(draft);
  }

  #fillChildren(draft: Draft, raw: RawSchema): void {
    const own = isRecord(raw.properties) ? raw.properties : {};
    const properties = raw["x-kubernetes-embedded-resource"] === true ? { ...rawIdentity, ...own } : own;
    const entries = Object.entries(properties).filter((entry): entry is [string, RawSchema] => isRecord(entry[1]));
    if (entries.length > 0) draft.properties = new Map(entries.map(([name, child]) => [name, this.compile(child)]));
    if (isRecord(raw.items)) draft.items = this.compile(raw.items);
    if (isRecord(raw.additionalProperties)) draft.additional = this.compile(raw.additionalProperties);
    else if (raw.additionalProperties === true) draft.additional = true;
  }

  #fillLogic(draft: Draft, raw: RawSchema): void {
    draft.allOf = this.#list(raw.allOf);
    draft.anyOf = this.#list(raw.anyOf);
    draft.oneOf = this.#list(raw.oneOf);
    if (isRecord(raw.not)) draft.not = this.compile(raw.not);
  }

  #list(raw: unknown): readonly Schema[] {
    return Array.isArray(raw) ? raw.filter(isRecord).map((entry) => this.compile(entry)) : none;
  }
}

function emptySchema(): Draft {
  return {
    type: undefined,
    format: undefined,
    properties: noProperties,
    additional: false,
    items: undefined,
    required: none,
    nullable: false,
    default: undefined,
    enum: undefined,
    limits: noLimits,
    allOf: none,
    anyOf: none,
    oneOf: none,
    not: undefined,
    intOrString: false,
    preserveUnknown: false,
    embeddedResource: false,
    listType: undefined,
    listKeys: none,
    atomicMap: false,
    patchStrategies: none,
    patchMergeKey: undefined,
    zero: undefined,
    rules: none,
    hasDefaults: false,
  };
}

/** The schema that accepts any JSON and keeps all of it. */
export const anything: Schema = { ...emptySchema(), preserveUnknown: true };

/** OpenAPI v3 wraps a reference that has siblings as `allOf: [{$ref}]`. */
function referenceIn(raw: RawSchema): string | undefined {
  const [only, ...more] = Array.isArray(raw.allOf) ? raw.allOf : [];
  const holder = isRecord(only) && more.length === 0 && raw.type === undefined ? only : raw;
  const ref = holder.$ref;
  return typeof ref === "string" ? ref.slice(ref.lastIndexOf("/") + 1) : undefined;
}

function isFreeForm(schema: Schema): boolean {
  const open = schema.type === undefined || schema.type === "object";
  return open && schema.properties.size === 0 && schema.additional === false && schema.oneOf.length === 0;
}

function besideReference(raw: RawSchema): RawSchema | undefined {
  const beside = Object.entries(raw).filter(([key]) => key !== "$ref" && key !== "allOf");
  return beside.length === 0 ? undefined : Object.fromEntries(beside);
}

const emptyStruct: Value = Object.freeze({});

/** A required list or map of a built-in kind is stored as null where it is absent. */
function withZero(schema: Schema): Schema {
  const holdsNull = schema.zero === undefined && (schema.type === "array" || schema.type === "object");
  return holdsNull ? { ...schema, zero: null } : schema;
}

function overlay(definition: Schema, beside: RawSchema): Schema {
  const draft: Draft = { ...definition };
  const isEmptyStruct = isRecord(beside.default) && Object.keys(beside.default).length === 0;
  // `default: {}` beside a reference says that the struct is no pointer, so that Kubernetes always stores it.
  if (isEmptyStruct) draft.zero = emptyStruct;
  if (beside.default !== undefined) draft.default = beside.default;
  if (beside.nullable === true) draft.nullable = true;
  fillExtensions(draft, beside);
  draft.hasDefaults = definition.hasDefaults || draft.default !== undefined;
  return draft;
}

function fillExtensions(draft: Draft, raw: RawSchema): void {
  draft.intOrString ||= raw["x-kubernetes-int-or-string"] === true || raw.format === "int-or-string";
  draft.preserveUnknown ||= raw["x-kubernetes-preserve-unknown-fields"] === true;
  draft.embeddedResource ||= raw["x-kubernetes-embedded-resource"] === true;
  draft.atomicMap ||= raw["x-kubernetes-map-type"] === "atomic";
  draft.listType = listTypeOf(raw["x-kubernetes-list-type"]) ?? draft.listType;
  if (Array.isArray(raw["x-kubernetes-list-map-keys"])) draft.listKeys = textsOf(raw["x-kubernetes-list-map-keys"]);
  if (Array.isArray(raw["x-kubernetes-validations"])) draft.rules = rulesOf(raw["x-kubernetes-validations"]);
  fillPatchFacts(draft, raw["x-kubernetes-patch-strategy"], raw["x-kubernetes-patch-merge-key"]);
}

function fillPatchFacts(draft: Draft, strategy: unknown, mergeKey: unknown): void {
  if (typeof strategy === "string") draft.patchStrategies = strategy.split(",");
  if (typeof mergeKey === "string") draft.patchMergeKey = mergeKey;
}

function listTypeOf(raw: unknown): Schema["listType"] {
  return raw === "atomic" || raw === "set" || raw === "map" ? raw : undefined;
}

function rulesOf(raw: readonly unknown[]): readonly Rule[] {
  return raw.filter(
    (entry): entry is Readonly<Record<string, Value>> & Rule => isRecord(entry) && typeof entry.rule === "string",
  );
}

function limitsOf(raw: RawSchema): Limits {
  const limits: Record<string, unknown> = { ...noLimits };
  for (const key of numericLimits) if (typeof raw[key] === "number") limits[key] = raw[key];
  for (const key of flagLimits) if (raw[key] === true) limits[key] = true;
  if (typeof raw.pattern === "string") limits.pattern = raw.pattern;
  return limits as unknown as Limits;
}

const numericLimits = [
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;
const flagLimits = ["exclusiveMinimum", "exclusiveMaximum", "uniqueItems"] as const;

function holdsDefaults(schema: Schema): boolean {
  if (schema.default !== undefined || schema.items?.hasDefaults === true) return true;
  if (typeof schema.additional === "object" && schema.additional.hasDefaults) return true;
  for (const child of schema.properties.values()) if (child.hasDefaults) return true;
  return false;
}
