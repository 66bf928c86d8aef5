import type { AnyObject } from "@kyma-operators/kube";
import { parseYamlDocuments } from "@kyma-operators/yaml";

/** The CustomResourceDefinitions in the text of a file. Throws when it holds anything else. */
export function definitionsIn(file: string, text: string): readonly AnyObject[] {
  const documents = parseYamlDocuments(text, { name: file });
  return documents.filter((document) => document !== null).map((document) => definition(file, document));
}

function definition(file: string, document: unknown): AnyObject {
  const { kind, metadata } = document as Partial<AnyObject>;
  const isDefinition = kind === "CustomResourceDefinition";
  if (isDefinition && typeof metadata?.name === "string") return document as AnyObject;
  const thing = typeof document === "object" ? `an object of kind ${kind ?? "none"}` : `a ${typeof document}`;
  const found = isDefinition ? `${thing} without metadata.name` : thing;
  throw new Error(
    `${file}: expected CustomResourceDefinitions, found ${found}; name files that hold nothing else with --crd`,
  );
}
