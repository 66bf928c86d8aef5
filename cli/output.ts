import { formatYaml } from "@kyma-operators/yaml";
import { Option } from "commander";
import type { Io } from "./io.ts";

export type OutputFormat = "text" | "json" | "yaml";

/** `-o text|json|yaml`; the data forms are a contract for scripts. */
export function outputOption(): Option {
  return new Option("-o, --output <format>", "output format").choices(["text", "json", "yaml"]).default("text");
}

/** Formats of a list: `wide` has more columns for people, `name` is one name per line, for shells. */
export type ListFormat = OutputFormat | "wide" | "name";

/** `-o text|wide|name|json|yaml`, for commands that list things. */
export function listOption(): Option {
  return new Option("-o, --output <format>", "output format; name: one per line")
    .choices(["text", "wide", "name", "json", "yaml"])
    .default("text");
}

/** Prints a list in the format that was asked for; `asText` is called only for people. */
export function printList(
  io: Io,
  format: ListFormat,
  items: readonly { readonly name: string }[],
  asText: (options: { readonly wide: boolean }) => string,
): void {
  if (format === "name") io.stdout.write(items.map(({ name }) => `${name}\n`).join(""));
  else if (format === "wide") io.stdout.write(asText({ wide: true }));
  else printAs(io, format, items, () => asText({ wide: false }));
}

/** `--report text|json|yaml`, for commands whose `-o` names the file that they write. */
export function reportOption(): Option {
  return new Option("--report <format>", "what is told at the end; as data, one document")
    .choices(["text", "json", "yaml"])
    .default("text");
}

/** Where lines on the way go: people read them with the result, scripts want the result alone. */
export function progressOf(io: Io, format: OutputFormat): Io["stdout"] {
  return format === "text" ? io.stdout : io.stderr;
}

/** Prints data in the format that was asked for; `asText` is called only for people. */
export function printAs(io: Io, format: OutputFormat, data: unknown, asText: () => string): void {
  if (format === "text") io.stdout.write(asText());
  else io.stdout.write(format === "json" ? `${JSON.stringify(data, undefined, 2)}\n` : formatYaml(data));
}
