import type { AnyObject } from "@kyma-operators/kube";

/** Fields of an object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** Changes one value; gives the same value back when there is nothing to do. */
export type Edit = (value: Fields) => Fields;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets the fields that are absent, null or the empty text, which Go takes for absent. */
export function defaults(values: Fields): Edit {
  return (fields) => {
    const missing = Object.entries(values).filter(([name]) => isUnset(fields[name]));
    return missing.length === 0 ? fields : { ...fields, ...Object.fromEntries(missing) };
  };
}

const isUnset = (value: unknown): boolean => value === undefined || value === null || value === "";

/** Sets one absent field from the others; `undefined` leaves it absent. */
export function derived(name: string, value: (fields: Fields) => unknown): Edit {
  return (fields) => {
    if (!isUnset(fields[name])) return fields;
    const next = value(fields);
    return next === undefined ? fields : { ...fields, [name]: next };
  };
}

/** Edits a field that is an object; leaves it alone when it is absent. */
export function inside(name: string, ...edits: readonly Edit[]): Edit {
  return (fields) => {
    const value = fields[name];
    if (!isFields(value)) return fields;
    const next = all(...edits)(value);
    return next === value ? fields : { ...fields, [name]: next };
  };
}

/** Edits a field that is an object, an absent one as an empty one. */
export function within(name: string, ...edits: readonly Edit[]): Edit {
  return (fields) => inside(name, ...edits)(isFields(fields[name]) ? fields : { ...fields, [name]: {} });
}

/** Edits each object in a list. */
export function each(name: string, ...edits: readonly Edit[]): Edit {
  const edit = all(...edits);
  return (fields) => {
    const list = fields[name];
    if (!Array.isArray(list)) return fields;
    let changed = false;
    const next = list.map((item: unknown) => {
      const edited = isFields(item) ? edit(item) : item;
      changed ||= edited !== item;
      return edited;
    });
    return changed ? { ...fields, [name]: next } : fields;
  };
}

/** Edits in turn. */
export function all(...edits: readonly Edit[]): Edit {
  return (fields) => edits.reduce((value, edit) => edit(value), fields);
}

/** Edits when the condition holds. */
export function when(condition: (fields: Fields) => boolean, ...edits: readonly Edit[]): Edit {
  const edit = all(...edits);
  return (fields) => (condition(fields) ? edit(fields) : fields);
}

/** An edit of a whole object. */
export function ofObject(...edits: readonly Edit[]): (object: AnyObject) => AnyObject {
  const edit = all(...edits);
  return (object) => edit(object) as unknown as AnyObject;
}

/** The value at a path of fields; `undefined` where the path ends early. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isFields(at) ? at[name] : undefined), value);
}

/** The list at a path; empty where there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly Fields[] {
  const list = valueAt(value, ...path);
  return Array.isArray(list) ? list.filter(isFields) : [];
}

/** The value at a path as text; empty where there is none, and for objects and lists. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  return asText(valueAt(value, ...path));
}

/** A scalar as text; empty for anything else. */
export function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
