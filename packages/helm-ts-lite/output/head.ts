import { outlineYaml } from "@kyma-operators/yaml";
import { scalarText } from "../chart/metadata.ts";
import { helm } from "../errors.ts";
import { wrongJsonType } from "../go/json-read.ts";
import type { GoMap, GoValue } from "../go/values.ts";
import { readYaml, YamlError } from "../go/yaml.ts";

/** What the sorting of documents needs to know of each. */
export interface Head {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly annotations: ReadonlyMap<string, string>;
}

const decoding = "error unmarshaling JSON: while decoding JSON: ";

function wrongType(value: GoValue, wanted: string): YamlError {
  return new YamlError(decoding + wrongJsonType(value, wanted));
}

function wrongField(value: GoValue, field: string, wanted: string): YamlError {
  const kind = wrongJsonType(value, "").split(" into ")[0] ?? "";
  return new YamlError(`${decoding}${kind} into Go struct field .${field} of type ${wanted}`);
}

function textField(map: GoMap, name: string, path: string): string {
  const value = map.get(name);
  if (value === null || value === undefined) return "";
  const text = scalarText(value);
  if (text === undefined) throw wrongField(value, path, "string");
  return text;
}

function annotationsOf(metadata: GoMap): Map<string, string> {
  const value = metadata.get("annotations");
  if (value === null || value === undefined) return new Map();
  if (!(value instanceof Map)) throw wrongField(value, "metadata.annotations", "map[string]string");
  return new Map([...value.keys()].map((key) => [key, textField(value, key, "metadata.annotations")]));
}

const metadataType = 'struct { Name string "json:\\"name\\""; Annotations map[string]string "json:\\"annotations\\"" }';

function headOf(document: GoValue): Head {
  if (document === null || document === undefined)
    return { apiVersion: "", kind: "", name: "", annotations: new Map() };
  if (!(document instanceof Map)) throw wrongType(document, "util.SimpleHead");
  const metadata = document.get("metadata") ?? new Map<string, GoValue>();
  if (!(metadata instanceof Map)) throw wrongField(metadata, "metadata", metadataType);
  return {
    apiVersion: textField(document, "apiVersion", "apiVersion"),
    kind: textField(document, "kind", "kind"),
    name: textField(metadata, "name", "metadata.name"),
    annotations: annotationsOf(metadata),
  };
}

const headKeys = ["apiVersion", "kind", "metadata"];

/** Reads the head of a rendered document. Throws `HELM_RENDER` when it is no YAML map or the head has wrong types. */
export function readHead(text: string, source: string): Head {
  try {
    return headOf(readYaml(outlineYaml(text, headKeys) ?? text));
  } catch (error) {
    if (error instanceof YamlError) throw helm.RENDER({ text: `YAML parse error on ${source}: ${error.message}` });
    throw error;
  }
}
