import { outlineYaml } from "@kyma-operators/yaml";
import { scalarText } from "../chart/metadata.ts";
import { helm } from "../errors.ts";
import { jsonKind, wrongJsonType } from "../go/json-read.ts";
import { type GoMap, type GoValue, sortedKeys } from "../go/values.ts";
import { readYaml, YamlError } from "../go/yaml.ts";
import type { Compat } from "../version.ts";

/** What the sorting of documents needs to know of each. */
export interface Head {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly annotations: ReadonlyMap<string, string>;
}

const decoding = "error unmarshaling JSON: while decoding JSON: ";
const metadataType = 'struct { Name string "json:\\"name\\""; Annotations map[string]string "json:\\"annotations\\"" }';

function wrongField(value: GoValue, field: string, wanted: string): YamlError {
  return new YamlError(
    `${decoding}json: cannot unmarshal ${jsonKind(value)} into Go struct field ${field} of type ${wanted}`,
  );
}

/** The text of a field, which null leaves as it is. */
function textOf(value: GoValue, field: string, before = ""): string {
  if (value === null || value === undefined) return before;
  const text = scalarText(value);
  if (text === undefined) throw wrongField(value, field, "string");
  return text;
}

/**
 * Filled as Go's JSON decoder fills a struct: fields in the order of the bytes of their names, which match in any letter
 * case, so that a later spelling adds to an earlier one.
 */
class HeadReader implements Head {
  apiVersion = "";
  kind = "";
  name = "";
  annotations = new Map<string, string>();

  document(document: GoMap): this {
    for (const key of sortedKeys(document)) {
      const value = document.get(key);
      const field = key.toLowerCase();
      if (field === "apiversion") this.apiVersion = textOf(value, "SimpleHead.apiVersion", this.apiVersion);
      else if (field === "kind") this.kind = textOf(value, "SimpleHead.kind", this.kind);
      else if (field === "metadata") this.#metadata(value);
    }
    return this;
  }

  #metadata(value: GoValue): void {
    if (value === null || value === undefined) {
      this.name = "";
      this.annotations = new Map();
      return;
    }
    if (!(value instanceof Map)) throw wrongField(value, "SimpleHead.metadata", metadataType);
    for (const key of sortedKeys(value)) {
      const field = key.toLowerCase();
      if (field === "name") this.name = textOf(value.get(key), ".metadata.name", this.name);
      else if (field === "annotations") this.#annotations(value.get(key));
    }
  }

  #annotations(value: GoValue): void {
    if (value === null || value === undefined) {
      this.annotations = new Map();
      return;
    }
    if (!(value instanceof Map)) throw wrongField(value, ".metadata.annotations", "map[string]string");
    for (const key of sortedKeys(value)) this.annotations.set(key, textOf(value.get(key), ".metadata.annotations"));
  }
}

const headKeys = new Set(["apiversion", "kind", "metadata"]);

/** Reads the head of a rendered document. Throws `HELM_RENDER` when it is no YAML map or the head has wrong types. */
export function readHead(text: string, source: string, compat: Compat): Head {
  try {
    const document = readYaml(outlineYaml(text, (key) => headKeys.has(key.toLowerCase())) ?? text);
    if (document === null || document === undefined) return new HeadReader();
    if (document instanceof Map) return new HeadReader().document(document);
    const type = compat === 3 ? "releaseutil.SimpleHead" : "util.SimpleHead";
    throw new YamlError(decoding + wrongJsonType(document, type));
  } catch (error) {
    if (error instanceof YamlError) throw helm.RENDER({ text: `YAML parse error on ${source}: ${error.message}` });
    throw error;
  }
}
