import { textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import { manifestErrors } from "../errors.ts";
import { canonicalJson } from "../inventory/digest.ts";
import { describeRef, isAddressable, refOf, versionedIdOf } from "../inventory/identity.ts";
import { isRecord } from "../json.ts";

/** Most objects that one module may bring; more is a mistake or an attack. */
const maxObjects = 10_000;

/**
 * Reads the objects of a YAML stream. Lists are taken apart, empty documents left out, repetitions dropped.
 *
 * Nothing is lost silently: a document that is no object, and two different objects of one identity, are errors that
 * name the source and the document.
 *
 * @param source - names the text in errors.
 */
export function parseObjects(text: string, source: string): readonly AnyObject[] {
  const documents = readDocuments(text, source);
  const objects = documents.flatMap((document, index) => objectsIn(document, { source, index }));
  if (objects.length > maxObjects) {
    throw manifestErrors.CONTENT_INVALID({ source, problem: `it has more than ${maxObjects} objects` });
  }
  return uniqueObjects(objects, source);
}

/** Drops repetitions of an object; two different objects of one identity are an error. */
export function uniqueObjects(objects: readonly AnyObject[], source: string): readonly AnyObject[] {
  const seen = new Map<string, AnyObject>();
  for (const object of objects) {
    const ref = refOf(object);
    const id = versionedIdOf(ref);
    const first = seen.get(id);
    if (first === undefined) seen.set(id, object);
    else if (canonicalJson(first) !== canonicalJson(object)) {
      throw manifestErrors.DUPLICATE_OBJECT({ source, object: describeRef(ref) });
    }
  }
  return [...seen.values()];
}

/**
 * Refuses objects that can't be asked for by their name, before an inventory mentions them: they could never be created,
 * and never be found to be gone.
 */
export function requireNames(objects: readonly AnyObject[], source: string): void {
  const nameless = objects.find((object) => !isAddressable(refOf(object)));
  if (nameless === undefined) return;
  const { name, namespace } = nameless.metadata;
  const found = JSON.stringify({ name, namespace });
  const problem = `${nameless.kind} has ${found}, expected a name, and a namespace if any, without slashes and percents`;
  throw manifestErrors.CONTENT_INVALID({ source, problem });
}

function readDocuments(text: string, source: string): readonly unknown[] {
  try {
    return parseYamlDocuments(text, { name: "YAML" });
  } catch (error) {
    throw manifestErrors.CONTENT_INVALID({ source, problem: textOf(error) }, error);
  }
}

interface Place {
  readonly source: string;
  readonly index: number;
}

function objectsIn(document: unknown, place: Place): readonly AnyObject[] {
  if (document === null || document === undefined) return [];
  if (!isRecord(document)) throw fail(place, `expected an object, found ${kindOf(document)}`);
  if (Object.keys(document).length === 0) return [];
  const { kind } = document;
  if (typeof kind !== "string" || kind === "") throw fail(place, "kind is missing");
  const items = kind.endsWith("List") ? itemsOf(document) : undefined;
  return items?.flatMap((item) => objectsIn(item, place)) ?? [withMetadata(document, place)];
}

/** Items of a list, none where it says so; `undefined` for an object whose kind merely sounds like one. */
function itemsOf({ items }: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  if (items === null) return [];
  return Array.isArray(items) ? items : undefined;
}

function withMetadata(document: Readonly<Record<string, unknown>>, place: Place): AnyObject {
  const { metadata, apiVersion } = document;
  if (metadata !== undefined && metadata !== null && !isRecord(metadata)) throw fail(place, "metadata is no object");
  if (apiVersion !== undefined && typeof apiVersion !== "string") throw fail(place, "apiVersion is no text");
  return { ...document, apiVersion: apiVersion ?? "", metadata: metadata ?? {} } as unknown as AnyObject;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

function fail(place: Place, problem: string): Error {
  return manifestErrors.DOCUMENT_INVALID({ ...place, problem });
}
