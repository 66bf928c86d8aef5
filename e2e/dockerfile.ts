/** A line of a Dockerfile that does something, its continuations joined. */
export interface Instruction {
  readonly name: string;
  readonly args: string;
}

/** What leads to one image. */
export interface Stage {
  readonly base: string;
  /** Empty for the last one, as a rule. */
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile, with the defaults of its arguments. */
export function parseDockerfile(text: string): readonly Stage[] {
  const lines = text
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const defaults = new Map<string, string>();
  const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [, name = "", args = ""] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === "FROM")
      stages.push(stageOf(args.replaceAll(/\$\{(\w+)\}/g, (_, key: string) => defaults.get(key) ?? "")));
    else if (stages.length === 0 && name === "ARG") defaults.set(...pairOf(args));
    else stages.at(-1)?.instructions.push({ name, args });
  }
  return stages;
}

function stageOf(args: string): Stage & { readonly instructions: Instruction[] } {
  const [base = "", , name = ""] = args.split(/\s+/);
  return { base, name, instructions: [] };
}

function pairOf(args: string): [string, string] {
  const at = args.indexOf("=");
  return [args.slice(0, at), args.slice(at + 1)];
}

/** What an instruction says; empty where a stage has none of this name. */
export function argumentOf(stage: Stage | undefined, name: string): string {
  return stage?.instructions.find((instruction) => instruction.name === name)?.args ?? "";
}

/** How the image is run: a program and its arguments. */
export function entrypointOf(stage: Stage | undefined): readonly string[] {
  return JSON.parse(argumentOf(stage, "ENTRYPOINT")) as readonly string[];
}

/** The variables that a stage sets, `NAME=value` without quotes. */
export function environmentOf(stage: Stage | undefined): Readonly<Record<string, string>> {
  const lines = (stage?.instructions ?? []).filter(({ name }) => name === "ENV").map(({ args }) => args);
  return Object.fromEntries(lines.flatMap((line) => line.split(/\s+/).map(pairOf)));
}

/** Whether a path of the project is left out by `.dockerignore`; the last line that matches decides. */
export function isIgnored(ignore: string, path: string): boolean {
  let ignored = false;
  for (const line of ignore.split("\n").filter((text) => text !== "")) {
    const pattern = line.replace(/^!/, "");
    if (matches(pattern, path)) ignored = !line.startsWith("!");
  }
  return ignored;
}

/** A pattern matches a path and everything below it. */
function matches(pattern: string, path: string): boolean {
  const source = pattern
    .replaceAll(/[.+^$()|[\]\\]/g, "\\$&")
    .replaceAll("**/", "\u0000")
    .replaceAll("*", "[^/]*")
    .replaceAll("\u0000", "(?:.*/)?");
  return new RegExp(`^${source}(?:/|$)`).test(path);
}
