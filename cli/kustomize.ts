import { resolve } from "node:path";
import { build } from "@kyma-operators/kustomize";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import { Command, Option } from "commander";
import type { Io } from "./io.ts";
import { diskTree } from "./kustomize-files.ts";

/** `kyma kustomize DIR [-o yaml|json]`: prints what a kustomization builds. `json` is one array of documents. */
export function command(io: Io): Command {
  return new Command()
    .description("Build a kustomization and print its objects. Nothing is fetched and no plugin is run.")
    .argument("<dir>", "folder with a kustomization file")
    .addOption(new Option("-o, --output <format>", "output format").choices(["yaml", "json"]).default("yaml"))
    .action((dir: string, { output }: { output: "yaml" | "json" }) => {
      const objects = build(diskTree(), resolve(io.cwd, dir));
      io.stdout.write(output === "json" ? `${formatJson(objects)}\n` : formatYamlDocuments(objects));
    });
}

/** JSON in which integers beyond 2^53 keep all their digits. */
function formatJson(value: unknown): string {
  const exact = (_key: string, entry: unknown): unknown => (typeof entry === "bigint" ? rawJson(String(entry)) : entry);
  return JSON.stringify(value, exact, 2);
}

/** Part of the language since Node.js 21, but not of the types yet. */
const { rawJSON: rawJson } = JSON as typeof JSON & { readonly rawJSON: (text: string) => unknown };
