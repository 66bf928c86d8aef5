import { formatFloat32 } from "@kyma-operators/yaml";
import { helm } from "../errors.ts";
import { wrongJsonType } from "../go/json-read.ts";
import type { GoMap, GoValue } from "../go/values.ts";
import { asMap, readYaml, YamlError } from "../go/yaml.ts";
import type { Dependency, Maintainer, Metadata } from "./types.ts";

const decoding = "error unmarshaling JSON: while decoding JSON: ";

/** Reads fields as Go's JSON decoder fills a struct: names match in any letter case, wrong types are errors. */
class Fields {
  readonly #map: GoMap;
  readonly #path: string;

  constructor(map: GoMap, path: string) {
    this.#map = map;
    this.#path = path;
  }

  static of(value: GoValue, path: string): Fields | undefined {
    if (value === null || value === undefined) return undefined;
    if (value instanceof Map) return new Fields(value, path);
    throw wrongField(value, path, typeOf(path));
  }

  get(name: string): GoValue {
    const exact = this.#map.get(name);
    if (exact !== undefined) return exact;
    const lower = name.toLowerCase();
    for (const [key, value] of this.#map) {
      if (key.toLowerCase() === lower) return value;
    }
    return undefined;
  }

  text(name: string): string {
    return textOf(this.get(name), `${this.#path}.${name}`);
  }

  bool(name: string): boolean {
    const value = this.get(name);
    if (value === null || value === undefined) return false;
    if (typeof value !== "boolean") throw wrongField(value, `${this.#path}.${name}`, "bool");
    return value;
  }

  list(name: string): GoValue[] {
    const value = this.get(name);
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw wrongField(value, `${this.#path}.${name}`, listTypes[name] ?? "[]string");
    return value;
  }

  texts(name: string): string[] {
    return this.list(name).map((item) => textOf(item, `${this.#path}.${name}`));
  }

  textMap(name: string): Map<string, string> {
    const path = `${this.#path}.${name}`;
    const value = this.get(name);
    if (value === null || value === undefined) return new Map();
    if (!(value instanceof Map)) throw wrongField(value, path, "map[string]string");
    return new Map([...value].map(([key, item]) => [key, textOf(item, path)]));
  }
}

const listTypes: Readonly<Record<string, string>> = {
  dependencies: "[]*v2.Dependency",
  maintainers: "[]*v2.Maintainer",
  "import-values": "[]interface {}",
};

const typeOf = (path: string): string => (path.includes("dependencies") ? "v2.Dependency" : "v2.Maintainer");

function wrongField(value: GoValue, path: string, wanted: string): YamlError {
  const kind = wrongJsonType(value, "").split(" into ")[0] ?? "";
  return new YamlError(`${decoding}${kind} into Go struct field ${path} of type ${wanted}`);
}

/** Numbers and bools become text; floats with the digits of a 32-bit float, as in helm. */
export function scalarText(value: GoValue): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "number") return undefined;
  return Number.isSafeInteger(value) ? String(value) : formatFloat32(value);
}

function textOf(value: GoValue, path: string): string {
  if (value === null || value === undefined) return "";
  const text = scalarText(value);
  if (text === undefined) throw wrongField(value, path, "string");
  return text;
}

/** Most texts, for which the rules of Unicode need not be set up. */
const plain = /^[ -~]*$/;
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const space = /[\t\n\v\f\r\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;

/** White space becomes blanks, what cannot be printed vanishes: metadata is shown to people. */
function sanitize(text: string): string {
  return plain.test(text) ? text : text.replace(space, " ").replace(unprintable, "");
}

function readMaintainer(value: GoValue): Maintainer {
  const fields = Fields.of(value, "Metadata.maintainers");
  if (fields === undefined) throw invalid("maintainers must not contain empty or null nodes");
  return {
    name: sanitize(fields.text("name")),
    email: sanitize(fields.text("email")),
    url: sanitize(fields.text("url")),
  };
}

function readDependency(value: GoValue): Dependency {
  const fields = Fields.of(value, "Metadata.dependencies");
  if (fields === undefined) throw invalid("dependencies must not contain empty or null nodes");
  return {
    name: sanitize(fields.text("name")),
    version: sanitize(fields.text("version")),
    repository: sanitize(fields.text("repository")),
    condition: sanitize(fields.text("condition")),
    tags: fields.texts("tags").map(sanitize),
    enabled: fields.bool("enabled"),
    importValues: fields.list("import-values"),
    alias: fields.text("alias"),
  };
}

/** A failed check of the chart's metadata. */
export function invalid(text: string): Error {
  return helm.CHART({ text: `validation: ${text}` });
}

function readMetadata(fields: Fields): Metadata {
  return {
    name: fields.text("name"),
    home: sanitize(fields.text("home")),
    sources: fields.texts("sources").map(sanitize),
    version: fields.text("version"),
    description: sanitize(fields.text("description")),
    keywords: fields.texts("keywords").map(sanitize),
    maintainers: fields.list("maintainers").map(readMaintainer),
    icon: sanitize(fields.text("icon")),
    apiVersion: fields.text("apiVersion"),
    condition: sanitize(fields.text("condition")),
    tags: sanitize(fields.text("tags")),
    appVersion: sanitize(fields.text("appVersion")),
    deprecated: fields.bool("deprecated"),
    annotations: fields.textMap("annotations"),
    kubeVersion: sanitize(fields.text("kubeVersion")),
    dependencies: fields.list("dependencies").map(readDependency),
    type: sanitize(fields.text("type")),
  };
}

/** Reads Chart.yaml. Throws `HELM_CHART` in helm's words. */
export function parseMetadata(text: string): Metadata {
  try {
    return readMetadata(new Fields(asMap(readYaml(text), "v2.Metadata"), "Metadata"));
  } catch (error) {
    if (error instanceof YamlError) throw helm.CHART({ text: `cannot load Chart.yaml: ${error.message}` });
    throw error;
  }
}

/** Reads the dependencies of requirements.yaml. */
export function parseRequirements(text: string): Dependency[] {
  try {
    return new Fields(asMap(readYaml(text), "v2.Metadata"), "Metadata").list("dependencies").map(readDependency);
  } catch (error) {
    if (error instanceof YamlError) throw helm.CHART({ text: `cannot load requirements.yaml: ${error.message}` });
    throw error;
  }
}
