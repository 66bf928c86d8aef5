import { isRecord } from "../compile.ts";
import { type FieldError, forbidden } from "../field-errors.ts";
import { equalJson } from "../scalars.ts";
import type { RawSchema } from "../types.ts";
import type { Node } from "./node.ts";

/** What `allOf`, `anyOf`, `oneOf` and `not` may not hold: they check values, they do not describe structure. */
const structure: Readonly<Record<string, string>> = {
  type: "must be empty to be structural",
  description: "must be empty to be structural",
  title: "must be empty to be structural",
  default: "must be undefined to be structural",
  additionalProperties: "must be undefined to be structural",
  nullable: "must be false to be structural",
  "x-kubernetes-preserve-unknown-fields": "must be undefined to be structural",
  "x-kubernetes-embedded-resource": "must be false to be structural",
  "x-kubernetes-int-or-string": "must be false to be structural",
  "x-kubernetes-list-map-keys": "must be empty to be structural",
  "x-kubernetes-list-type": "must be undefined to be structural",
  "x-kubernetes-map-type": "must be undefined to be structural",
  "x-kubernetes-validations": "must be empty to be structural",
};

/** What an int-or-string may say to be understood by tools that do not know the extension. */
const intOrString = [{ type: "integer" }, { type: "string" }];

export function logicFaults({ raw, path }: Node): readonly FieldError[] {
  return junctors(raw, path, raw["x-kubernetes-int-or-string"] === true);
}

function junctors(raw: RawSchema, path: string, either: boolean): readonly FieldError[] {
  const lists = ["allOf", "anyOf", "oneOf"].flatMap((name) => {
    const alternatives = raw[name];
    if (!Array.isArray(alternatives) || (either && name === "anyOf" && equalJson(alternatives, intOrString))) return [];
    return alternatives
      .filter(isRecord)
      .flatMap((alternative, at) => valueFaults(alternative, `${path}.${name}[${at}]`, either && name === "allOf"));
  });
  return isRecord(raw.not) ? [...lists, ...valueFaults(raw.not, `${path}.not`, false)] : lists;
}

function valueFaults(raw: RawSchema, path: string, either: boolean): readonly FieldError[] {
  const own = Object.entries(structure)
    .filter(([key]) => raw[key] !== undefined && raw[key] !== false)
    .map(([key, text]) => forbidden(`${path}.${key}`, text));
  const properties = isRecord(raw.properties) ? Object.entries(raw.properties) : [];
  const below = properties.flatMap(([name, child]) =>
    isRecord(child) ? valueFaults(child, `${path}.properties[${name}]`, false) : [],
  );
  const items = isRecord(raw.items) ? valueFaults(raw.items, `${path}.items`, false) : [];
  return [...own, ...below, ...items, ...junctors(raw, path, either)];
}
