import { coreFactsJson } from "./generated/core-facts.ts";

/** How lists and maps of one kind merge. Fields without facts follow the plain rules: maps merge, lists are replaced. */
export interface MergeFacts {
  field(name: string): FieldFacts | undefined;
}

/** How one field merges. */
export interface FieldFacts {
  /** `merge`, `replace`, `retainKeys`; empty: the plain rules. */
  readonly strategies: readonly string[];
  /** Names the items of a list with strategy `merge`; absent for lists of scalars. */
  readonly mergeKey?: string;
  /** Facts of the field's value; of its items where it is a list. */
  readonly value?: MergeFacts;
}

interface RawField {
  readonly of?: string;
  readonly strategy?: string;
  readonly key?: string;
}

interface RawFacts {
  readonly kinds: Readonly<Record<string, string>>;
  readonly definitions: Readonly<Record<string, Readonly<Record<string, RawField>>>>;
}

let parsed: RawFacts | undefined;
const byDefinition = new Map<string, MergeFacts>();

/**
 * The facts of a kind that Kubernetes itself serves; undefined for any other, which then has no strategic merge.
 *
 * @param apiVersion - for example `v1` or `apps/v1`
 */
export function coreMergeFacts(apiVersion: string, kind: string): MergeFacts | undefined {
  parsed ??= JSON.parse(coreFactsJson) as RawFacts;
  const key = `${apiVersion}/${kind}`;
  const definition = Object.hasOwn(parsed.kinds, key) ? parsed.kinds[key] : undefined;
  return definition === undefined ? undefined : factsOf(parsed, definition);
}

function factsOf(raw: RawFacts, definition: string): MergeFacts {
  const known = byDefinition.get(definition);
  if (known !== undefined) return known;
  const fields = new Map<string, FieldFacts>();
  const facts: MergeFacts = { field: (name) => fields.get(name) };
  // Known before it is filled, so that a definition may contain itself.
  byDefinition.set(definition, facts);
  for (const [name, field] of Object.entries(raw.definitions[definition] ?? {}))
    fields.set(name, fieldFacts(raw, field));
  return facts;
}

function fieldFacts(raw: RawFacts, { of, strategy, key }: RawField): FieldFacts {
  return {
    strategies: strategy?.split(",") ?? [],
    ...(key === undefined ? {} : { mergeKey: key }),
    ...(of === undefined ? {} : { value: factsOf(raw, of) }),
  };
}
