import { type GoMap, type GoMethod, type GoValue, TypedMap } from "../go/values.ts";
import { writeYaml } from "../go/yaml.ts";
import { GoError } from "../template/errors.ts";
import { tableAt, valueAt } from "../values/paths.ts";
import type { Compat } from "../version.ts";

const textOf = (value: GoValue): string => (typeof value === "string" ? value : "");

/**
 * `.Values` and the top context: a map with a type name and methods of its own. It is a view of another map,
 * because a parent chart sees the same values as an ordinary map, with every change a template makes.
 */
export class ValuesMap extends TypedMap {
  readonly #compat: Compat;
  readonly #map: GoMap;

  constructor(compat: Compat, map: GoMap = new Map()) {
    super(compat === 3 ? "chartutil.Values" : "common.Values", true);
    this.#compat = compat;
    this.#map = map;
  }

  override get size(): number {
    return this.#map.size;
  }

  override get(key: string): GoValue {
    return this.#map.get(key);
  }

  override has(key: string): boolean {
    return this.#map.has(key);
  }

  override set(key: string, value: GoValue): this {
    this.#map.set(key, value);
    return this;
  }

  override delete(key: string): boolean {
    return this.#map.delete(key);
  }

  override clear(): void {
    this.#map.clear();
  }

  override keys(): MapIterator<string> {
    return this.#map.keys();
  }

  override values(): MapIterator<GoValue> {
    return this.#map.values();
  }

  override entries(): MapIterator<[string, GoValue]> {
    return this.#map.entries();
  }

  override [Symbol.iterator](): MapIterator<[string, GoValue]> {
    return this.#map.entries();
  }

  override forEach(callback: (value: GoValue, key: string, map: GoMap) => void): void {
    for (const [key, value] of this.#map) callback(value, key, this);
  }

  override emptied(): ValuesMap {
    return new ValuesMap(this.#compat);
  }

  override method(name: string): GoMethod | undefined {
    switch (name) {
      case "AsMap":
        return { params: [], call: () => this.#map };
      case "YAML":
        return { params: [], call: () => `${writeYaml(this.#map)}\n` };
      case "Table":
        return { params: ["string"], call: ([path]) => this.#table(textOf(path)) };
      case "PathValue":
        return { params: ["string"], call: ([path]) => this.#pathValue(textOf(path)) };
      default:
        return undefined;
    }
  }

  #table(path: string): ValuesMap {
    const table = tableAt(this.#map, path);
    if (table === undefined) throw new GoError(`${JSON.stringify(path.split(".").at(-1))} is not a table`);
    return new ValuesMap(this.#compat, table);
  }

  #pathValue(path: string): GoValue {
    if (path === "") throw new GoError("YAML path cannot be empty");
    const found = valueAt(this.#map, path);
    if (found === undefined) throw new GoError(`${JSON.stringify(path)} is not a value`);
    return found.value;
  }
}
