import { textOf } from "@kyma-operators/errors";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import { kustomizeErrors } from "./errors.ts";
import { type Fields, isFields } from "./json.ts";
import { Resource } from "./resource.ts";

const maxObjects = 10_000;

/** Reads the objects of a resource file: documents, lists taken apart, empty ones left out. */
export function parseResources(content: string, file: string): readonly Resource[] {
  const documents = readDocuments(content, file);
  const resources = documents.flatMap((document) => objectsIn(document, file)).map((fields) => new Resource(fields));
  for (const resource of resources) check(resource, file);
  if (resources.length > maxObjects) throw kustomizeErrors.LIMIT({ what: `objects in ${file}`, limit: maxObjects });
  return resources;
}

function readDocuments(content: string, file: string): readonly unknown[] {
  try {
    return parseYamlDocuments(content, { dialect: "resource", duplicateKeys: "error", integers: "bigint" });
  } catch (error) {
    throw kustomizeErrors.INVALID_OBJECT({ file, problem: textOf(error) }, error);
  }
}

function objectsIn(document: unknown, file: string): readonly Fields[] {
  if (document === null || document === undefined) return [];
  if (!isFields(document)) throw kustomizeErrors.INVALID_OBJECT({ file, problem: "expected an object with kind" });
  if (Object.keys(document).length === 0) return [];
  const { kind, items } = document;
  if (typeof kind === "string" && kind.endsWith("List") && (Array.isArray(items) || kind === "List")) {
    return (Array.isArray(items) ? items : []).flatMap((item: unknown) => objectsIn(item, file));
  }
  return [document];
}

function check(resource: Resource, file: string): void {
  if (resource.kind === "") throw kustomizeErrors.INVALID_OBJECT({ file, problem: "missing kind in object" });
  if (resource.name === "") {
    throw kustomizeErrors.INVALID_OBJECT({ file, problem: `missing metadata.name in object of kind ${resource.kind}` });
  }
}
