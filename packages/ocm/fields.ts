import { ocm } from "./errors.ts";
import type { JsonObject, JsonValue } from "./types.ts";

/** A value of a descriptor with the path that leads to it, so that every complaint names its place. */
export class Field {
  readonly source: string;
  readonly where: string;
  readonly value: unknown;

  constructor(source: string, where: string, value: unknown) {
    this.source = source;
    this.where = where;
    this.value = value;
  }

  fail(reason: string): never {
    throw ocm.DESCRIPTOR_INVALID({ source: this.source, where: this.where, reason });
  }

  get absent(): boolean {
    return this.value === undefined || this.value === null;
  }

  /** A field of this object; absent when there is none. */
  at(key: string): Field {
    const object = this.object();
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    return new Field(this.source, this.where === "" ? key : `${this.where}.${key}`, value);
  }

  /** A field that must be there. */
  required(key: string): Field {
    const field = this.at(key);
    return field.absent ? this.fail(`${key} is required`) : field;
  }

  object(): Readonly<Record<string, unknown>> {
    const { value } = this;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return this.fail("expected an object");
    return value as Readonly<Record<string, unknown>>;
  }

  json(): JsonValue {
    return (this.value ?? null) as JsonValue;
  }

  jsonObject(): JsonObject {
    this.object();
    return this.json() as JsonObject;
  }

  list<T>(read: (entry: Field) => T): readonly T[] {
    if (this.absent) return [];
    const { value } = this;
    if (!Array.isArray(value)) return this.fail("expected a list");
    return value.map((entry, i) => read(new Field(this.source, `${this.where}[${i}]`, entry)));
  }

  string(): string {
    return typeof this.value === "string" ? this.value : this.fail("expected a string");
  }

  optionalString(): string | undefined {
    return this.absent || this.value === "" ? undefined : this.string();
  }

  matching(pattern: RegExp, shown: string = pattern.source): string {
    const text = this.string();
    return pattern.test(text) ? text : this.fail(`Does not match pattern '${shown}'`);
  }

  stringMap(): Readonly<Record<string, string>> {
    if (this.absent) return {};
    const entries = Object.keys(this.object()).map((key) => [key, this.at(key).string()] as const);
    return Object.fromEntries(entries);
  }
}
