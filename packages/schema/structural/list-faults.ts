import { isRecord } from "../compile.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../field-errors.ts";
import type { RawSchema } from "../types.ts";
import type { Node } from "./node.ts";

const listTypes = ["atomic", "set", "map"];

/** `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`. */
export function listFaults({ raw, path }: Node): readonly FieldError[] {
  const listType = raw["x-kubernetes-list-type"];
  const keys = keysOf(raw);
  const faults = keys.length > 0 && listType !== "map" ? [unkeyedFault(listType, path)] : [];
  if (listType === undefined) return faults;
  if (raw.type !== "array") {
    faults.push(invalid(`${path}.type`, raw.type ?? "", "must be array if x-kubernetes-list-type is specified"));
  }
  if (!listTypes.some((known) => known === listType)) {
    faults.push(notSupported(`${path}.x-kubernetes-list-type`, listType, listTypes));
  }
  if (listType === "map") faults.push(...keyedListFaults(raw, path, keys));
  if (listType === "set" && isRecord(raw.items)) faults.push(...setItemFaults(raw.items, `${path}.items`));
  return faults;
}

function unkeyedFault(listType: unknown, path: string): FieldError {
  const text = "must be map if x-kubernetes-list-map-keys is non-empty";
  const field = `${path}.x-kubernetes-list-type`;
  return listType === undefined ? required(field, text) : invalid(field, listType, text);
}

function keysOf(raw: RawSchema): readonly unknown[] {
  const keys = raw["x-kubernetes-list-map-keys"];
  return Array.isArray(keys) ? keys : [];
}

function keyedListFaults(raw: RawSchema, path: string, keys: readonly unknown[]): readonly FieldError[] {
  const field = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) return [required(field, "must not be empty if x-kubernetes-list-type is map")];
  const { items } = raw;
  if (!isRecord(items)) return [];
  const faults = [...itemFaults(items, `${path}.items`)];
  const properties = isRecord(items.properties) ? items.properties : {};
  if (keys.some((key) => !Object.hasOwn(properties, String(key)))) {
    if (items.type === "object") faults.push(invalid(field, keys, "entries must all be names of item properties"));
  }
  if (new Set(keys).size < keys.length) faults.push(invalid(field, keys, "must not contain duplicate entries"));
  for (const key of new Set(keys.map(String))) faults.push(...keyFaults(items, key, `${path}.items`));
  return faults;
}

function itemFaults(items: RawSchema, path: string): readonly FieldError[] {
  if (items.type !== "object") {
    return [
      invalid(`${path}.type`, items.type ?? "", "must be object if parent array's x-kubernetes-list-type is map"),
    ];
  }
  return items.nullable === true
    ? [forbidden(`${path}.nullable`, "cannot be nullable when x-kubernetes-list-type is map")]
    : [];
}

function keyFaults(items: RawSchema, key: string, path: string): readonly FieldError[] {
  const property = isRecord(items.properties) ? items.properties[key] : undefined;
  if (!isRecord(property)) return [];
  const field = `${path}.properties[${key}]`;
  const faults: FieldError[] = [];
  if (property.type === "object" || property.type === "array") {
    const text = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    faults.push(invalid(`${field}.type`, property.type, text));
  }
  if (property.nullable === true) {
    faults.push(
      forbidden(`${field}.nullable`, "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"),
    );
  }
  const isRequired = Array.isArray(items.required) && items.required.includes(key);
  if (!isRequired && property.default === undefined) {
    const text = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
    faults.push(required(`${field}.default`, text));
  }
  return faults;
}

/** A set is compared item by item, so its items are wholes. */
function setItemFaults(items: RawSchema, path: string): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (items.nullable === true) {
    faults.push(forbidden(`${path}.nullable`, "cannot be nullable when x-kubernetes-list-type is set"));
  }
  const mapType = items["x-kubernetes-map-type"];
  if (items.type === "object" && mapType !== "atomic") {
    const text = "must be atomic as item of a list with x-kubernetes-list-type=set";
    faults.push(invalid(`${path}.x-kubernetes-map-type`, mapType ?? null, text));
  }
  const listType = items["x-kubernetes-list-type"];
  if (items.type === "array" && listType !== undefined && listType !== "atomic") {
    const text = "must be atomic as item of a list with x-kubernetes-list-type=set";
    faults.push(invalid(`${path}.x-kubernetes-list-type`, listType, text));
  }
  return faults;
}

/** `x-kubernetes-map-type`. */
export function mapTypeFaults({ raw, path }: Node): readonly FieldError[] {
  const mapType = raw["x-kubernetes-map-type"];
  if (mapType === undefined) return [];
  const faults: FieldError[] = [];
  if (raw.type !== "object") {
    faults.push(invalid(`${path}.type`, raw.type ?? "", "must be object if x-kubernetes-map-type is specified"));
  }
  if (mapType !== "atomic" && mapType !== "granular") {
    faults.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  return faults;
}
