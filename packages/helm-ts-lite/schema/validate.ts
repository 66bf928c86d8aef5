import { createContext, Script } from "node:vm";
import type { Ajv as AjvBase, Options } from "ajv";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft6 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import Draft4 from "ajv-draft-04";
import addFormats from "ajv-formats";
import { RE2JS } from "re2js";
import { helm } from "../errors.ts";
import { readJson } from "../go/json-read.ts";
import { JsonError, writeJson } from "../go/json-write.ts";
import { formatValue } from "../go/print.ts";
import { type GoValue, typeName } from "../go/values.ts";
import type { ChartNode } from "../values/tree.ts";
import { formatErrors } from "./tree.ts";

/** Patterns of a schema run on RE2, so that none of them can hang. */
const regExp: NonNullable<NonNullable<Options["code"]>["regExp"]> = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // Ajv takes patterns that print the same for one pattern.
    const printed = `/${pattern}/`;
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => printed } as unknown as RegExp;
  },
  { code: "re2" },
);

const options: Options = {
  allErrors: true,
  strict: false,
  verbose: true,
  addUsedSchema: false,
  code: { regExp },
  logger: false,
};

interface Draft {
  /** The address that the error of a bad schema names. */
  readonly metaschema: string;
  /** Formats are asserted up to draft 7. */
  readonly formats: boolean;
  /** The metaschema is put together by `allOf`. */
  readonly composed: boolean;
  readonly make: () => AjvBase;
}

const old = (metaschema: string, make: () => AjvBase): Draft => ({ metaschema, formats: true, composed: false, make });
const recent = (metaschema: string, make: () => AjvBase): Draft => ({
  metaschema,
  formats: false,
  composed: true,
  make,
});

const drafts: Readonly<Record<string, Draft>> = {
  "draft-04": old("http://json-schema.org/draft-04/schema#", () => new Draft4.default(options)),
  "draft-06": old("http://json-schema.org/draft-06/schema#", () => new Ajv(options).addMetaSchema(draft6)),
  "draft-07": old("http://json-schema.org/draft-07/schema#", () => new Ajv(options)),
  "2019-09": recent("https://json-schema.org/draft/2019-09/schema#", () => new Ajv2019(options)),
  "2020-12": recent("https://json-schema.org/draft/2020-12/schema#", () => new Ajv2020(options)),
};

function draftOf(schema: object): Draft {
  const declared = "$schema" in schema && typeof schema.$schema === "string" ? schema.$schema : "";
  const name = Object.keys(drafts).find((each) => declared.includes(each)) ?? "2020-12";
  const draft = drafts[name];
  if (draft === undefined) throw new TypeError(`unknown draft ${name}`);
  return draft;
}

const location = "file:///values.schema.json#";

/** What is wrong with the values, or undefined. The text has no line feed at its end. */
function problemWith(schemaText: string, values: unknown): string | undefined {
  const schema = parseSchema(schemaText);
  if (typeof schema === "string") return schema;
  const draft = draftOf(schema);
  const ajv = draft.make();
  if (draft.formats) addFormats.default(ajv);
  const { $schema: _declared, ...bare } = schema as { $schema?: unknown };
  if (ajv.validateSchema(bare) !== true) {
    const errors = formatErrors(ajv.errors ?? [], draft.composed ? "'allOf' failed" : undefined);
    return `"${location}" is not valid against metaschema: jsonschema validation failed with '${draft.metaschema}'\n${errors}`;
  }
  const validate = ajv.compile(bare);
  return validate(values) ? undefined : formatErrors(validate.errors ?? []);
}

function parseSchema(text: string): object | string {
  try {
    const schema: unknown = JSON.parse(writeJson(readJson(text)));
    return typeof schema === "object" && schema !== null ? schema : {};
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (text.trim() === "") return "EOF";
    return error.truncated ? "unexpected EOF" : error.message;
  }
}

/** A schema can point at other files, at the network or at itself without end; none of it is followed. */
function guarded(schema: string, values: unknown): string | undefined {
  try {
    return problemWith(schema, values);
  } catch (error) {
    if (error instanceof RangeError) return "the schema refers to itself without end";
    const text = error instanceof Error ? error.message : String(error);
    return `"${location}" cannot be used: ${text} (references to files and to the network are not followed)`;
  }
}

function collect(node: ChartNode, values: GoValue): string {
  if (!(values instanceof Map)) {
    return `${node.name}:\ninvalid type for values: expected object (map), got ${typeName(values)} ${formatValue(values)}\n`;
  }
  const { schema } = node.chart;
  const problem = schema === undefined ? undefined : guarded(schema, JSON.parse(writeJson(values)));
  const own = problem === undefined ? "" : `${node.name}:\n${problem}\n`;
  const inside = node.charts.map((child) => {
    const part = values.get(child.name);
    return part === null || part === undefined ? "" : collect(child, part);
  });
  return own + inside.join("");
}

const room: { body?: () => unknown } = {};
const call = new Script("body()");

/** Node's only way to end code that does not: the context itself is of no use here, so one does for all calls. */
function timed<T>(body: () => T, timeout: number): T {
  room.body = body;
  try {
    return call.runInContext(createContext(room), { timeout }) as T;
  } finally {
    delete room.body;
  }
}

const timedOut = (error: unknown): boolean =>
  Error.isError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";

/**
 * Checks the values of a chart tree against every values.schema.json in it. Throws `HELM_VALUES` in helm's words, and
 * `HELM_LIMIT` when that takes too long.
 */
export function validateSchemas(root: ChartNode, values: GoValue, max: number): void {
  const problems = within(root, max, () => collect(root, values));
  if (problems === "") return;
  throw helm.VALUES({
    text: `values don't meet the specifications of the schema(s) in the following chart(s):\n${problems}`,
  });
}

function within(root: ChartNode, max: number, body: () => string): string {
  try {
    return timed(body, max);
  } catch (error) {
    if (timedOut(error)) throw helm.LIMIT({ chart: root.name, limit: "maxSchemaMilliseconds", max });
    throw error;
  }
}
