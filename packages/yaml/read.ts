import { findControl } from "./chars.ts";
import { Composer, type YamlValue } from "./compose.ts";
import { yaml } from "./errors.ts";
import { defaultLimits, type YamlOptions } from "./options.ts";
import { Parser } from "./parser.ts";
import { positionAt } from "./position.ts";
import { YamlProblem } from "./tokens.ts";

/**
 * Reads the first document of a text and does not look at what follows it. An empty text is `null`.
 *
 * Throws `YAML_SYNTAX`, `YAML_VALUE` (each with line and column) or `YAML_LIMIT`.
 */
export function parseYaml(text: string, options: YamlOptions = {}): YamlValue {
  return read(text, options, 1)[0] ?? null;
}

/** Reads all documents of a text in order; an empty document is `null`. Throws as {@link parseYaml}. */
export function parseYamlDocuments(text: string, options: YamlOptions = {}): YamlValue[] {
  return read(text, options, Number.POSITIVE_INFINITY);
}

function read(text: string, options: YamlOptions, count: number): YamlValue[] {
  const limits = { ...defaultLimits, ...options.limits };
  const name = options.name ?? "YAML";
  if (text.length > limits.maxLength) throw yaml.LIMIT({ name, limit: "maxLength", max: limits.maxLength });
  const composer = new Composer(text, options);
  const parser = new Parser(text, findControl(text), composer);
  try {
    while (composer.documents.length < count && parser.document());
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    const { message: reason, goText } = error;
    throw yaml.SYNTAX({ ...positionAt(text, error.offset), name, reason, goText });
  }
  return composer.documents;
}
