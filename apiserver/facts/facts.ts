import { type RawSchema, type Schema, SchemaCompiler } from "@kyma-operators/schema";
import type { FieldFacts, MergeFacts } from "@kyma-operators/strategic-merge";
import { resourcesJson, schemasJson } from "./generated/kubernetes.ts";

/** One discovery entry of a built-in resource or subresource (`pods/status`). */
export interface ResourceFacts {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  /** Group and version of the body where they differ from the path's, for example of `pods/eviction`. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** What is known of one built-in kind. */
export interface KindFacts {
  /** Name of the OpenAPI component, for example `io.k8s.api.core.v1.Pod`. */
  readonly definition: string;
  /** Schema of the whole object, `metadata` included. */
  readonly schema: Schema;
  /** How strategic merge patches of this kind merge. */
  readonly merge: MergeFacts;
}

/** The discovery entries by path of the group version: `api/v1`, `apis/apps/v1`. Parsed on the first call. */
export const resourceFacts: () => Readonly<Record<string, readonly ResourceFacts[]>> = once(
  () => JSON.parse(resourcesJson) as Record<string, readonly ResourceFacts[]>,
);

/** The OpenAPI v3 component schemas by name, as a kube-apiserver publishes them. Parsed on the first call. */
export const rawSchemas: () => Readonly<Record<string, RawSchema>> = once(
  () => JSON.parse(schemasJson) as Record<string, RawSchema>,
);

const compiler = once(() => new SchemaCompiler((name) => rawSchemas()[name]));
const definitionsByKind = once(indexKinds);
const kinds = new Map<string, KindFacts>();

/** The facts of a built-in kind, compiled on the first call for it; undefined for any other kind. */
export function kindFacts(group: string, version: string, kind: string): KindFacts | undefined {
  const key = keyOf(group, version, kind);
  const known = kinds.get(key);
  if (known !== undefined) return known;
  const definition = definitionsByKind().get(key);
  const schema = definition === undefined ? undefined : compiler().definition(definition);
  if (definition === undefined || schema === undefined) return undefined;
  const facts: KindFacts = { definition, schema, merge: mergeFactsOf(schema) };
  kinds.set(key, facts);
  return facts;
}

function indexKinds(): ReadonlyMap<string, string> {
  const byKind = new Map<string, string>();
  for (const [name, schema] of Object.entries(rawSchemas())) {
    const gvks = schema["x-kubernetes-group-version-kind"];
    for (const { group, version, kind } of Array.isArray(gvks) ? gvks : [])
      byKind.set(keyOf(group, version, kind), name);
  }
  return byKind;
}

function keyOf(group: string, version: string, kind: string): string {
  return `${group}/${version}/${kind}`;
}

/** The patch strategies of a schema, as strategic merge asks for them. */
export function mergeFactsOf(schema: Schema): MergeFacts {
  return { field: (name) => fieldFactsOf(schema.properties.get(name)) };
}

function fieldFactsOf(schema: Schema | undefined): FieldFacts | undefined {
  if (schema === undefined) return undefined;
  return {
    strategies: schema.patchStrategies,
    ...(schema.patchMergeKey === undefined ? {} : { mergeKey: schema.patchMergeKey }),
    value: mergeFactsOf(schema.items ?? schema),
  };
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
