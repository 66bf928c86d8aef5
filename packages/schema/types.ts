/** Any JSON value. An integer beyond 2^53 may come as a `bigint`, so that no digit is lost. */
export type Value = unknown;

/** A schema as it stands in a CRD or in OpenAPI v3: any JSON, read defensively. */
export type RawSchema = Readonly<Record<string, unknown>>;

export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean";

/** Bounds on one value. Lengths count Unicode code points, as Kubernetes does. */
export interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** One `x-kubernetes-validations` entry, as written. */
export interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/**
 * A compiled schema node. Immutable; shared between objects, and for built-in kinds between kinds (so it may be
 * recursive: never walk a schema without a value beside it).
 */
export interface Schema {
  /** Absent: any type (int-or-string, preserved unknown JSON, quantities). */
  readonly type: SchemaType | undefined;
  readonly format: string | undefined;
  readonly properties: ReadonlyMap<string, Schema>;
  /** Schema of fields that are no property; `true`: anything goes; `false`: there is none. */
  readonly additional: Schema | boolean;
  readonly items: Schema | undefined;
  readonly required: readonly string[];
  readonly nullable: boolean;
  readonly default: Value;
  readonly enum: readonly Value[] | undefined;
  readonly limits: Limits;
  readonly allOf: readonly Schema[];
  readonly anyOf: readonly Schema[];
  readonly oneOf: readonly Schema[];
  readonly not: Schema | undefined;
  readonly intOrString: boolean;
  readonly preserveUnknown: boolean;
  readonly embeddedResource: boolean;
  /** Undefined where the schema does not say: Kubernetes then treats the list as atomic. */
  readonly listType: "atomic" | "set" | "map" | undefined;
  readonly listKeys: readonly string[];
  readonly atomicMap: boolean;
  readonly patchStrategies: readonly string[];
  readonly patchMergeKey: string | undefined;
  /**
   * What Kubernetes itself stores where the field is absent: `{}` for a struct that is no pointer, null for a required
   * list or map. Undefined where nothing is stored. Known for built-in kinds only.
   */
  readonly zero: Value;
  readonly rules: readonly Rule[];
  /** Some default stands here or below; false lets defaulting skip the whole subtree. */
  readonly hasDefaults: boolean;
}

/** Finds a schema by the last part of its `$ref`. */
export type Definitions = (name: string) => RawSchema | undefined;
