import { createHash } from "node:crypto";
import { fromBytes, toBytes } from "../go/bytes.ts";
import { readJson, wrongJsonType } from "../go/json-read.ts";
import { JsonError, type JsonLayout, writeJson } from "../go/json-write.ts";
import { type GoMap, type GoValue, NilMap, nilList } from "../go/values.ts";
import { cycleIn, weigh } from "../go/weigh.ts";
import { asMap, readYaml, writeYaml, writeYamlPretty, YamlError } from "../go/yaml.ts";
import { GoError } from "../template/errors.ts";
import type { State } from "../template/state.ts";
import { base32Decode, base32Encode, base64Decode } from "./base-n.ts";
import { type FuncTable, func } from "./define.ts";

function must<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof YamlError || error instanceof JsonError) throw new GoError(error.message, { cause: error });
    throw error;
  }
}

/** Runs a conversion; a failure gives the fallback made of its text. */
function orElse<T>(body: () => T, fallback: (message: string) => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof YamlError || error instanceof JsonError) return fallback(error.message);
    throw error;
  }
}

const errorMap = (message: string): GoMap => new Map([["Error", message]]);

function listOf(value: GoValue, prefix: string): GoValue[] {
  if (Array.isArray(value)) return value;
  throw new JsonError(`${prefix}${wrongJsonType(value, "[]interface {}")}`);
}

function mapOf(value: GoValue): GoMap {
  if (value === null || value === undefined) return new NilMap();
  if (value instanceof Map) return value;
  throw new JsonError(wrongJsonType(value, "map[string]interface {}"));
}

/** Values up to this weight are written without a closer look. */
const quickWeight = 100_000;

/** The value, if it can be written: Go refuses what contains itself, a limit what is too large. */
function sized(value: GoValue, state: State, where = ""): GoValue {
  if (weigh(value, quickWeight) > quickWeight) {
    const cycle = cycleIn(value);
    if (cycle !== undefined) throw new JsonError(`${where}json: unsupported value: encountered a cycle via ${cycle}`);
  }
  state.runtime.functions.traverse(value);
  return value;
}

const marshaling = "error marshaling into JSON: ";

const json = (layout: Partial<JsonLayout>) =>
  func(["any"], (value, state) =>
    orElse(
      () => writeJson(sized(value, state), layout),
      () => "",
    ),
  );
const mustJson = (layout: Partial<JsonLayout>) =>
  func(["any"], (value, state) => must(() => writeJson(sized(value, state), layout)));
const unmarshaling = "error unmarshaling JSON: while decoding JSON: ";

const digest = (algorithm: string) =>
  func(["string"], (text) => createHash(algorithm).update(toBytes(text)).digest("hex"));

function adler32(text: string): string {
  let a = 1;
  let b = 0;
  for (const byte of toBytes(text)) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return String(b * 65_536 + a);
}

export const encodingFunctions: FuncTable = {
  toYaml: func(["any"], (value, state) =>
    orElse(
      () => writeYaml(sized(value, state)),
      () => "",
    ),
  ),
  toYamlPretty: func(["any"], (value, state) =>
    orElse(
      () => writeYamlPretty(sized(value, state)),
      () => "",
    ),
  ),
  mustToYaml: func(["any"], (value, state) => must(() => writeYaml(sized(value, state, marshaling)))),
  fromYaml: func(["string"], (text) => orElse(() => asMap(readYaml(text)), errorMap)),
  fromYamlArray: func(["string"], (text) =>
    orElse(
      () => listOf(readYaml(text) ?? [], unmarshaling),
      (message) => [message],
    ),
  ),
  toJson: json({}),
  mustToJson: mustJson({}),
  toPrettyJson: json({ indent: "  " }),
  mustToPrettyJson: mustJson({ indent: "  " }),
  toRawJson: json({ escapeHtml: false }),
  mustToRawJson: mustJson({ escapeHtml: false }),
  fromJson: func(["string"], (text) => orElse(() => mapOf(readJson(text)), errorMap)),
  mustFromJson: func(["string"], (text) => must(() => readJson(text))),
  fromJsonArray: func(["string"], (text) =>
    orElse<GoValue>(
      () => {
        const list = readJson(text);
        return list === null ? nilList() : listOf(list, "");
      },
      (message) => [message],
    ),
  ),
  b64enc: func(["string"], (text) => toBytes(text).toString("base64")),
  b64dec: func(["string"], (text) => decoded(base64Decode(text))),
  b32enc: func(["string"], (text) => base32Encode(toBytes(text))),
  b32dec: func(["string"], (text) => decoded(base32Decode(text))),
  sha1sum: digest("sha1"),
  sha256sum: digest("sha256"),
  sha512sum: digest("sha512"),
  adler32sum: func(["string"], adler32),
};

/** Bad input gives the text of the error, as sprig does. */
function decoded(result: Uint8Array | string): string {
  return typeof result === "string" ? result : fromBytes(result);
}
