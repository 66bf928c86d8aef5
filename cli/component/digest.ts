import { digestOfDescriptor, type Normalisation, normalise, parseDescriptor } from "@kyma-operators/ocm";
import { Command } from "commander";
import type { Io } from "../io.ts";
import { normalisationOption } from "./normalisation.ts";

interface Options {
  readonly normalisation: Normalisation;
  readonly showNormalised?: boolean;
}

/** `kyma component digest FILE [--normalisation NAME] [--show-normalised]` */
export function command(io: Io): Command {
  return new Command()
    .description("Print the SHA-256 of a normalised component descriptor: what its signatures sign.")
    .argument("<file>", "component descriptor in YAML or JSON, - for standard input")
    .addOption(normalisationOption("jsonNormalisation/v2"))
    .option("--show-normalised", "print the normalised text itself")
    .action(async (file: string, { normalisation, showNormalised }: Options) => {
      const bytes = file === "-" ? await io.stdin() : await io.files.read(file);
      const descriptor = parseDescriptor(bytes, { source: file === "-" ? "standard input" : file });
      const text =
        showNormalised === true ? normalise(descriptor, normalisation) : digestOfDescriptor(descriptor, normalisation);
      io.stdout.write(`${text}\n`);
    });
}
