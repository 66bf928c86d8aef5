import type { ChartFile } from "../chart/types.ts";
import { compareBytes, fromBytes } from "../go/bytes.ts";
import { Bytes, type GoMethod, type GoObject, type GoValue, stringList } from "../go/values.ts";
import { writeYaml } from "../go/yaml.ts";
import { GoError } from "../template/errors.ts";
import { matchPath, parsePathGlob } from "./path-glob.ts";

const method = (params: GoMethod["params"], call: (name: string) => GoValue): GoMethod => ({
  params,
  call: ([name]) => call(typeof name === "string" ? name : ""),
});

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** A pattern is matched with a name in the time of so many steps. */
const stepsPerMatch = 64;

/** `.Files`: the files of a chart that have no other role. */
export class Files implements GoObject {
  readonly goType = "engine.files";
  readonly goKind = "map";
  readonly #files: ReadonlyMap<string, Uint8Array>;

  constructor(files: readonly ChartFile[] | ReadonlyMap<string, Uint8Array>) {
    this.#files =
      files instanceof Map ? files : new Map((files as readonly ChartFile[]).map(({ name, data }) => [name, data]));
  }

  field(name: string): { readonly value: GoValue } {
    return { value: new Bytes(this.#files.get(name) ?? new Uint8Array()) };
  }

  method(name: string): GoMethod | undefined {
    const method = Object.hasOwn(this.#methods, name) ? this.#methods[name] : undefined;
    return method !== undefined && name === "Glob" ? { ...method, effort: this.#files.size * stepsPerMatch } : method;
  }

  entries(): (readonly [GoValue, GoValue])[] {
    return this.#names().map((name) => [name, new Bytes(this.#files.get(name) ?? new Uint8Array())] as const);
  }

  goText(): string {
    return `map[${this.#names()
      .map((name) => `${name}:[${Array.from(this.#files.get(name) ?? []).join(" ")}]`)
      .join(" ")}]`;
  }

  toData(): GoValue {
    return new Map([...this.#files].map(([name, data]) => [name, new Bytes(data)]));
  }

  readonly #methods: Readonly<Record<string, GoMethod>> = {
    Get: method(["string"], (name) => fromBytes(this.#files.get(name) ?? new Uint8Array())),
    GetBytes: method(["string"], (name) => new Bytes(this.#files.get(name) ?? new Uint8Array())),
    Glob: method(["string"], (pattern) => this.#glob(pattern)),
    Lines: method(["string"], (name) => this.#lines(name)),
    AsConfig: method([], () => this.#asConfig()),
    AsSecrets: method([], () => this.#asSecrets()),
  };

  #names(): string[] {
    return [...this.#files.keys()].sort(compareBytes);
  }

  #glob(pattern: string): Files {
    const glob = parsePathGlob(pattern) ?? parsePathGlob("**");
    return new Files(new Map([...this.#files].filter(([name]) => glob !== undefined && matchPath(glob, name))));
  }

  #lines(name: string): GoValue {
    const data = this.#files.get(name);
    if (data === undefined) return stringList([]);
    if (data.length === 0) throw new GoError("runtime error: index out of range [-1]");
    const text = fromBytes(data);
    return stringList((text.endsWith("\n") ? text.slice(0, -1) : text).split("\n"));
  }

  #byBaseName(show: (data: Uint8Array) => string): string {
    const map = new Map<string, GoValue>();
    for (const name of this.#names()) map.set(baseName(name), show(this.#files.get(name) ?? new Uint8Array()));
    return writeYaml(map);
  }

  #asConfig(): string {
    return this.#byBaseName(fromBytes);
  }

  #asSecrets(): string {
    return this.#byBaseName((data) => Buffer.from(data).toString("base64"));
  }
}
