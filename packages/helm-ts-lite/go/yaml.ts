import { isAppError } from "@kyma-operators/errors";
import { formatYaml, parseYaml, parseYamlDocuments, type YamlOptions } from "@kyma-operators/yaml";
import { firstRawByte, utf8Fault } from "./bytes.ts";
import { wrongJsonType } from "./json-read.ts";
import { JsonError, toData, writeJson } from "./json-write.ts";
import type { GoMap, GoValue } from "./values.ts";

/** A text that is not the YAML that was wanted, in the words of sigs.k8s.io/yaml. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** Values that a text may hold, aliases expanded. */
const maxValues = 500_000;

const optionsFor = (maxNodes: number): YamlOptions => ({ maps: "map", integers: "float64", limits: { maxNodes } });

function goText(error: unknown): string {
  if (!isAppError(error)) throw error;
  const { goText } = error.detail as { goText?: string };
  return goText ?? error.message;
}

const unreadable = /[^\t\n\r -~\u0085\u00a0-\uffff]|[\ufffe\uffff]/;

/** Our reader takes bytes that are not UTF-8 for control characters; Go tells them apart. */
function readerFault(text: string, said: string): string {
  const raw = firstRawByte(text);
  const isUtf8 = said !== "yaml: control characters are not allowed" || raw < 0;
  return isUtf8 || unreadable.test(text.slice(0, raw)) ? said : `yaml: ${utf8Fault(text)}`;
}

function converted<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new YamlError(`error converting YAML to JSON: ${readerFault(text, goText(error))}`, { cause: error });
  }
}

/** Reads the first document as Helm does: every number a float64. Throws {@link YamlError}. */
export function readYaml(text: string, max = maxValues): GoValue {
  return converted(text, () => parseYaml(text, optionsFor(max))) as GoValue;
}

/** Reads every document. Throws {@link YamlError}. */
export function readYamlDocuments(text: string, max = maxValues): GoValue[] {
  return converted(text, () => parseYamlDocuments(text, optionsFor(max))) as GoValue[];
}

/** The value as a map, null counting as an empty one. Throws {@link YamlError} for anything else. */
export function asMap(value: GoValue, type = "map[string]interface {}"): GoMap {
  if (value === null || value === undefined) return new Map();
  if (value instanceof Map) return value;
  throw new YamlError(`error unmarshaling JSON: while decoding JSON: ${wrongJsonType(value, type)}`);
}

/** Characters that the YAML reader behind Go's marshaller, which reads the value back from JSON, takes amiss. */
const odd = /[\u007f-\u009f\ufffe\uffff]/;

/** A longer key may exceed the 1,024 characters that reader allows, with six for each that JSON escapes. */
const certainKeyLength = 170;

function isOdd(value: unknown): boolean {
  if (typeof value === "string") return odd.test(value);
  if (Array.isArray(value)) return value.some(isOdd);
  if (!(value instanceof Map)) return false;
  for (const [key, item] of value as Map<string, unknown>) {
    if (key.length > certainKeyLength || odd.test(key) || isOdd(item)) return true;
  }
  return false;
}

/** Writes a value as Helm's `toYamlPretty`, without the final line feed. Throws {@link YamlError}. */
export function writeYamlPretty(value: GoValue): string {
  try {
    return formatYaml(toData(value, 0, "yaml"), { style: "pretty" }).replace(/\n$/, "");
  } catch (error) {
    if (error instanceof JsonError) throw new YamlError(error.message, { cause: error });
    throw error;
  }
}

/** Writes a value as Helm's `toYaml`, without the final line feed. Throws {@link YamlError}. */
export function writeYaml(value: GoValue): string {
  try {
    const data = toData(value);
    // The detour through JSON matters only for such texts.
    const read = isOdd(data) ? parseYaml(writeJson(value), { maps: "map", integers: "bigint" }) : data;
    return formatYaml(read).replace(/\n$/, "");
  } catch (error) {
    if (isAppError(error)) throw new YamlError(goText(error), { cause: error });
    if (error instanceof JsonError)
      throw new YamlError(`error marshaling into JSON: ${error.message}`, { cause: error });
    throw error;
  }
}
