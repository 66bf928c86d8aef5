import { helm } from "../errors.ts";
import { readJson } from "../go/json-read.ts";
import { JsonError } from "../go/json-write.ts";
import type { GoMap } from "../go/values.ts";
import { asMap, readYaml, readYamlDocuments, YamlError } from "../go/yaml.ts";
import type { Compat } from "../version.ts";
import { mergeValues } from "./merge.ts";
import { applySet, applySetFile, type PlainMap, SetError } from "./set.ts";

/** A values file: its name for errors, and its text. */
export interface ValuesFile {
  readonly name: string;
  readonly text: string;
}

/** What a user can say about values, each list in the order given. */
export interface UserValues {
  readonly files?: readonly ValuesFile[];
  readonly setJson?: readonly string[];
  readonly set?: readonly string[];
  readonly setString?: readonly string[];
  readonly setFile?: readonly string[];
  readonly setLiteral?: readonly string[];
}

function readFile({ name, text }: ValuesFile, compat: Compat): GoMap {
  try {
    if (compat === 3) return asMap(readYaml(text));
    return readYamlDocuments(text).reduce<GoMap>((values, document) => mergeValues(values, asMap(document)), new Map());
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw helm.VALUES({
      text: `failed to parse ${name}: ${compat === 3 ? "" : "cannot unmarshal yaml document: "}${error.message}`,
    });
  }
}

function applyJson(values: PlainMap, text: string, compat: Compat): PlainMap {
  const isObject = compat === 4 && text.trim().startsWith("{");
  try {
    if (isObject) return mergeValues(values as GoMap, asMap(readJson(text.trim())));
    applySet(values, text, "json");
    return values;
  } catch (error) {
    if (!(error instanceof JsonError) && !(error instanceof SetError)) throw error;
    throw helm.VALUES({ text: `failed parsing --set-json data ${isObject ? "JSON: " : ""}${text}` });
  }
}

function guarded(flag: string, apply: () => void): void {
  try {
    apply();
  } catch (error) {
    if (error instanceof SetError) throw helm.VALUES({ text: `failed parsing ${flag} data: ${error.message}` });
    throw error;
  }
}

/**
 * Puts the user's values together in helm's order: files, then JSON, plain, text, file and literal `--set`s.
 *
 * `read` gives the content of the files that `--set-file` names. Throws `HELM_VALUES` in helm's words.
 */
export function mergeUserValues(given: UserValues, read: (path: string) => string, compat: Compat = 4): PlainMap {
  const files = (given.files ?? []).map((file) => readFile(file, compat));
  const merged: PlainMap = files.reduce<GoMap>(mergeValues, new Map());
  const values = (given.setJson ?? []).reduce((all, text) => applyJson(all, text, compat), merged);
  applyAll("--set", given.set, (text) => applySet(values, text, "set"));
  applyAll("--set-string", given.setString, (text) => applySet(values, text, "string"));
  applyAll("--set-file", given.setFile, (text) => applySetFile(values, text, read));
  applyAll("--set-literal", given.setLiteral, (text) => applySet(values, text, "literal"));
  return values;
}

function applyAll(flag: string, texts: readonly string[] | undefined, apply: (text: string) => void): void {
  for (const text of texts ?? []) guarded(flag, () => apply(text));
}
