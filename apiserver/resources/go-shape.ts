import type { AnyObject } from "@kyma-operators/kube";
import { type GoField, messageFields, messageName } from "../facts/go-types.ts";
import { type Fields, isFields } from "./kinds/edit.ts";
import { canonicalQuantity } from "./quantity.ts";

/**
 * The object as Kubernetes' Go types write it: empty lists, maps and zeros are left out or written as the type says,
 * structs that are no pointers are always there, quantities have their canonical form. The same object when it already
 * has that shape; kinds whose types are not known are left alone.
 *
 * @param fills - whether what nobody set is written; without it, only what is superfluous goes
 */
export function goShape(object: AnyObject, fills: boolean): AnyObject {
  const message = messageName(object.apiVersion, object.kind);
  if (messageFields(message) === undefined) return object;
  const { apiVersion, kind, ...rest } = object;
  const shaped = (fills ? filling : pruning).message(message, rest);
  return shaped === undefined ? object : ({ apiVersion, kind, ...shaped } as AnyObject);
}

const flattened = new Map<string, readonly GoField[]>();

/** The fields of a message with those of its inline parts. */
function flatFields(message: string): readonly GoField[] {
  const known = flattened.get(message);
  if (known !== undefined) return known;
  const fields = (messageFields(message) ?? []).flatMap((field) =>
    field.name === "" ? flatFields(field.type) : [field],
  );
  flattened.set(message, fields);
  return fields;
}

const isZero = (value: unknown): boolean => value === "" || value === 0 || value === false;

const isListType = (type: string): boolean => type.startsWith("[]") || type.startsWith("list:");

function isOmitted({ isPointer, omitEmpty }: GoField, value: unknown): boolean {
  return !isPointer && omitEmpty && isZero(value);
}

class Shaper {
  readonly #fills: boolean;

  constructor(fills: boolean) {
    this.#fills = fills;
  }

  /** `undefined` when nothing changes. */
  message(message: string, value: Fields): Fields | undefined {
    let copy: Record<string, unknown> | undefined;
    for (const field of flatFields(message)) {
      const before = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
      const after = this.#field(field, before);
      if (after === before) continue;
      copy ??= { ...value };
      if (after === undefined) delete copy[field.name];
      else copy[field.name] = after;
    }
    return copy;
  }

  #field(field: GoField, value: unknown): unknown {
    if (value === undefined || value === null) return this.#fills ? this.#absent(field) : value;
    if (isListType(field.type)) return this.#list(field, value);
    if (field.type.startsWith("map[]")) return this.#map(field, value);
    if (field.type === "quantity") return canonicalQuantity(value);
    return isOmitted(field, value) ? undefined : this.#struct(field, value);
  }

  #struct(field: GoField, value: unknown): unknown {
    if (!isFields(value) || messageFields(field.type) === undefined) return value;
    const shaped = this.message(field.type, value) ?? value;
    return field.omitZero && !field.isPointer && Object.keys(shaped).length === 0 ? undefined : shaped;
  }

  /** What JSON shows of a value that nobody set. */
  #absent({ type, isPointer, omitEmpty, omitZero }: GoField): unknown {
    if (isPointer) return omitEmpty ? undefined : null;
    if (omitZero) return undefined;
    if (messageFields(type) !== undefined) return this.message(type, {}) ?? {};
    return absentScalar(type, omitEmpty);
  }

  #list(field: GoField, value: unknown): unknown {
    if (!Array.isArray(value)) return value;
    if (value.length === 0) return this.#empty(field, value);
    const type = field.type.replace(/^(\[\]|list:)/, "");
    let changed = false;
    const items = value.map((item: unknown) => {
      const shaped = this.#item(type, item);
      changed ||= shaped !== item;
      return shaped;
    });
    return changed ? items : value;
  }

  /** Storage makes nothing of an empty list: it comes back as null. */
  #empty({ omitEmpty }: GoField, value: unknown): unknown {
    if (omitEmpty) return undefined;
    return this.#fills ? null : value;
  }

  #map(field: GoField, value: unknown): unknown {
    if (!isFields(value)) return value;
    const entries = Object.entries(value);
    if (entries.length === 0) return this.#empty(field, value);
    const type = field.type.slice(5);
    const shaped = entries.map(([key, item]) => [key, this.#item(type, item)] as const);
    return shaped.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(shaped);
  }

  #item(type: string, item: unknown): unknown {
    if (type === "quantity") return canonicalQuantity(item);
    return isFields(item) && messageFields(type) !== undefined ? (this.message(type, item) ?? item) : item;
  }
}

const filling = new Shaper(true);
const pruning = new Shaper(false);
const zeros: Readonly<Record<string, unknown>> = {
  string: "",
  int: 0,
  int32: 0,
  int64: 0,
  bool: false,
  double: 0,
  intOrString: 0,
};

function absentScalar(type: string, omitEmpty: boolean): unknown {
  if (type === "time" || type === "microTime") return null;
  if (type === "quantity") return "0";
  return omitEmpty ? undefined : (zeros[type] ?? null);
}
