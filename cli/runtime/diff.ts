import { parseYaml } from "@kyma-operators/yaml";
import { Command, Option } from "commander";
import {
  convertToPatch,
  keptZones,
  parseShoot,
  type ShootDifference,
  shootDifferences,
} from "../../controllers/runtime/shoot/index.ts";
import type { Io } from "../io.ts";
import { type ConversionFlags, readCaches, readConversionInput, readInput, withConversionFlags } from "./inputs.ts";

interface Flags extends ConversionFlags {
  readonly existingShoot: string;
  readonly output: "text" | "json";
}

/** `kyma runtime diff -f FILE --converter-config FILE --existing-shoot FILE [-o text|json]` */
export function command(io: Io): Command {
  return withConversionFlags(new Command())
    .description("Say what the next patch would change in a Shoot, and what it leaves to Gardener.")
    .requiredOption("--existing-shoot <file>", "the Shoot as Gardener has it; - reads standard input")
    .addOption(new Option("-o, --output <format>", "output format").choices(["text", "json"]).default("text"))
    .action(async (flags: Flags) => {
      const input = await readConversionInput(io, flags);
      const text = await readInput(io, flags.existingShoot);
      const shoot = parseShoot(parseYaml(text, { name: flags.existingShoot }), flags.existingShoot);
      const wanted = convertToPatch({ ...input, shoot, caches: await readCaches(io, flags.cacheConfig) });
      const report = { ...shootDifferences(shoot, wanted), keptZones: keptZones(input.runtime, shoot) };
      io.stdout.write(flags.output === "json" ? `${JSON.stringify(report)}\n` : textOf(report));
    });
}

function textOf(report: ReturnType<typeof shootDifferences> & { readonly keptZones: readonly string[] }): string {
  const lines = [
    ...report.changes.map(lineOf),
    ...report.keptZones.map((zone) => `= zone ${zone} stays: Gardener can't take zones back`),
    ...report.leftToGardener.map((path) => `. ${path} is left to Gardener`),
  ];
  const summary = report.changes.length === 0 ? "no change" : `${report.changes.length} change(s)`;
  return [...lines, summary, ""].join("\n");
}

const signs = { added: "+", changed: "~", removed: "-" } as const;

function lineOf({ kind, path, from, to }: ShootDifference): string {
  const show = (value: unknown): string => JSON.stringify(value);
  if (kind === "changed") return `${signs[kind]} ${path}: ${show(from)} -> ${show(to)}`;
  return `${signs[kind]} ${path}: ${show(kind === "added" ? to : from)}`;
}
