import type { Schema } from "@kyma-operators/schema";
import { compareValues } from "./compare.ts";
import { difference, emptySet, type FieldSet } from "./field-set.ts";
import { stripManagedFields } from "./managed-fields.ts";
import { type Fields, isFields } from "./shape.ts";
import { toFieldSet } from "./to-field-set.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
/** Kubernetes' limit for all annotations of an object, in bytes. */
const annotationLimitBytes = 256 * 1024;

function annotationsOf({ metadata }: Fields): Fields {
  const annotations = isFields(metadata) ? metadata.annotations : undefined;
  return isFields(annotations) ? annotations : {};
}

/** The fields that client-side apply set last time and nobody has changed since. */
export function lastAppliedFields(live: object | undefined, schema: Schema): FieldSet {
  if (live === undefined) return emptySet;
  const last = parseLastApplied(annotationsOf(live as Fields)[annotation]);
  if (last === undefined || last.apiVersion !== (live as Fields).apiVersion) return emptySet;
  const { added, modified, removed } = compareValues(schema, last, live);
  return [added, modified, removed].reduce(difference, toFieldSet(schema, last));
}

function parseLastApplied(text: unknown): Fields | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const last: unknown = JSON.parse(text);
    return isFields(last) ? last : undefined;
  } catch {
    // An annotation that is no JSON is nobody's configuration.
    return undefined;
  }
}

/** Keeps the annotation of client-side apply up to date where the object has it, so that both ways of apply agree. */
export function withLastApplied<T extends object>(object: T, applied: object): T {
  const annotations = annotationsOf(object as Fields);
  if (annotations[annotation] === undefined) return object;
  const text = `${goJson(withoutAnnotation(stripManagedFields(applied as Fields)))}\n`;
  if (annotations[annotation] === text) return object;
  const kept = text.length > annotationLimitBytes ? {} : { [annotation]: text };
  const { [annotation]: _, ...others } = annotations;
  const metadata = (object as Fields).metadata as Fields;
  return { ...object, metadata: { ...metadata, annotations: { ...others, ...kept } } };
}

function withoutAnnotation(applied: Fields): Fields {
  const annotations = annotationsOf(applied);
  if (annotations[annotation] === undefined) return applied;
  const { [annotation]: _, ...others } = annotations;
  return { ...applied, metadata: { ...(applied.metadata as Fields), annotations: others } };
}

/** JSON as Go writes it: fields in order, and nothing that HTML would read. */
function goJson(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (isFields(inner) ? sorted(inner) : inner));
  return text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function sorted(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}
