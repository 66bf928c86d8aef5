import { isRecord } from "../compile.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../field-errors.ts";
import { patternProblem } from "../scalars.ts";
import type { RawSchema } from "../types.ts";
import { defaultFaults } from "./default-faults.ts";
import { listFaults, mapTypeFaults } from "./list-faults.ts";
import { logicFaults } from "./logic-faults.ts";
import { childNodes, type Node } from "./node.ts";
import { CostSum, ruleFaults } from "./rule-faults.ts";

/**
 * Why a schema may not be used in a CustomResourceDefinition; empty when it may. Checks that it is structural, that its
 * defaults fit it, and that its rules compile and are cheap enough, all in Kubernetes' words.
 *
 * @param path - the path of the schema, for example `spec.validation.openAPIV3Schema`
 */
export function structuralFaults(raw: RawSchema, path: string): readonly FieldError[] {
  const costs = new CostSum(path);
  const root: Node = { raw, path, level: "root", parent: undefined, uncorrelated: undefined, cardinality: 1 };
  return [...rootFaults(root), ...nodeFaults(root, costs), ...costs.faults()];
}

function nodeFaults(node: Node, costs: CostSum): readonly FieldError[] {
  const own = [typeFaults, unsupportedFaults, extensionFaults, listFaults, mapTypeFaults, logicFaults, defaultFaults];
  return [
    ...own.flatMap((check) => check(node)),
    ...ruleFaults(node, costs),
    ...childNodes(node).flatMap((child) => nodeFaults(child, costs)),
  ];
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

const emptyTexts: Readonly<Record<Node["level"], string>> = {
  root: "must not be empty at the root",
  property: "must not be empty for specified object fields",
  additional: "must not be empty for specified object fields",
  items: "must not be empty for specified array items",
};

function typeFaults({ raw, path, level }: Node): readonly FieldError[] {
  const { type, items } = raw;
  const open = raw["x-kubernetes-int-or-string"] === true || raw["x-kubernetes-preserve-unknown-fields"] === true;
  // A reference is refused as such.
  if (raw.$ref !== undefined) return [];
  if (type === undefined || type === "") return open ? [] : [required(`${path}.type`, emptyTexts[level])];
  if (typeof type !== "string" || !types.includes(type)) return [notSupported(`${path}.type`, type, types)];
  return type === "array" && items === undefined ? [required(`${path}.items`, "must be specified")] : [];
}

const unsupportedKeys = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

function unsupportedFaults({ raw, path }: Node): readonly FieldError[] {
  const faults = unsupportedKeys
    .filter((key) => raw[key] !== undefined && !isEmptyRecord(raw[key]))
    .map((key) => forbidden(`${path}.${key}`, `${key} is not supported`));
  if (raw.uniqueItems === true) {
    const text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    faults.push(forbidden(`${path}.uniqueItems`, text));
  }
  if (isRecord(raw.properties) && Object.keys(raw.properties).length > 0 && raw.additionalProperties !== undefined) {
    faults.push(forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
  }
  const problem = typeof raw.pattern === "string" ? patternProblem(raw.pattern) : undefined;
  if (problem !== undefined) {
    faults.push(invalid(`${path}.pattern`, raw.pattern, `must be a valid regular expression, but isn't: ${problem}`));
  }
  return faults;
}

function isEmptyRecord(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

function extensionFaults({ raw, path }: Node): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (raw["x-kubernetes-preserve-unknown-fields"] === false) {
    faults.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  if (raw["x-kubernetes-embedded-resource"] === true) faults.push(...embeddedFaults(raw, path));
  return faults;
}

function embeddedFaults(raw: RawSchema, path: string): readonly FieldError[] {
  const faults: FieldError[] = [];
  const open = raw["x-kubernetes-preserve-unknown-fields"] === true;
  if (!open && (!isRecord(raw.properties) || isEmptyRecord(raw.properties))) {
    const text =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    faults.push(required(`${path}.properties`, text));
  }
  if (raw.type !== "object") {
    faults.push(invalid(`${path}.type`, raw.type ?? "", "must be object if x-kubernetes-embedded-resource is true"));
  }
  return faults;
}

function rootFaults({ raw, path }: Node): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (typeof raw.type === "string" && raw.type !== "object" && types.includes(raw.type)) {
    faults.push(invalid(`${path}.type`, raw.type, "must be object at the root"));
  }
  if (!isRecord(raw.properties)) return faults;
  for (const name of ["apiVersion", "kind"])
    faults.push(...identityFaults(raw.properties[name], `${path}.properties[${name}]`));
  const { metadata } = raw.properties;
  return isRecord(metadata) ? [...faults, ...metadataFaults(metadata, `${path}.properties[metadata]`)] : faults;
}

function identityFaults(raw: unknown, path: string): readonly FieldError[] {
  if (!isRecord(raw) || raw.type === undefined || raw.type === "string") return [];
  return [invalid(`${path}.type`, raw.type, "must be string")];
}

function metadataFaults(raw: RawSchema, path: string): readonly FieldError[] {
  if (typeof raw.type === "string" && raw.type !== "object")
    return [invalid(`${path}.type`, raw.type, "must be object")];
  const names = isRecord(raw.properties) ? Object.keys(raw.properties) : [];
  if (names.every((name) => name === "name" || name === "generateName")) return [];
  const text = "must not specify anything other than name and generateName, but metadata is implicitly specified";
  return [forbidden(path, text)];
}
