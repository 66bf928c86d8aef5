import type { GeneratorArgs } from "./kustomization.ts";
import type { Root } from "./loader.ts";
import { baseName } from "./tree.ts";

/** One key of a generated object. */
export interface Entry {
  readonly key: string;
  readonly bytes: Uint8Array;
}

type Sources = Pick<GeneratorArgs, "literals" | "files" | "envs" | "env">;

/** Reads the sources of a generator in kustomize's order: env files, files, literals. */
export function readEntries(sources: Sources, root: Root): readonly Entry[] {
  const envs = [...sources.envs, ...(sources.env === "" ? [] : [sources.env])];
  return [
    ...envs.flatMap((path) => parseEnvFile(root.readBytes(path), path)),
    ...sources.files.map((source) => readFile(source, root)),
    ...sources.literals.map(parseLiteral),
  ];
}

function readFile(source: string, root: Root): Entry {
  const parts = source.split("=");
  const [first = "", second] = parts;
  if (parts.length > 2)
    throw new Error(`file source ${JSON.stringify(source)}: key names or file paths can't contain '='`);
  if (second === undefined) return { key: baseName(`/${first}`), bytes: root.readBytes(first) };
  if (first === "" || second === "") {
    throw new Error(`file source ${JSON.stringify(source)}: ${first === "" ? "key name" : "file path"} is missing`);
  }
  return { key: first, bytes: root.readBytes(second) };
}

function parseLiteral(literal: string): Entry {
  const equals = literal.indexOf("=");
  if (equals <= 0) throw new Error(`invalid literal source ${literal}, expected key=value`);
  return { key: literal.slice(0, equals), bytes: Buffer.from(unquoted(literal.slice(equals + 1))) };
}

function unquoted(value: string): string {
  const [first = ""] = value;
  const quoted = value.length >= 2 && (first === '"' || first === "'") && value.endsWith(first);
  return quoted ? value.slice(1, -1) : value;
}

/** Lines `key=value`; blank ones and comments are left out. A line without `=` has an empty value. */
function parseEnvFile(bytes: Uint8Array, path: string): readonly Entry[] {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  return text.split(/\r?\n/).flatMap((raw, index) => {
    const line = raw.trimStart();
    if (line === "" || line.startsWith("#")) return [];
    const equals = line.indexOf("=");
    const key = equals < 0 ? line : line.slice(0, equals);
    if (key === "") throw new Error(`env file ${path}, line ${index + 1}: the key is missing`);
    return [{ key, bytes: Buffer.from(equals < 0 ? "" : line.slice(equals + 1)) }];
  });
}
