import { Command } from "commander";
import type { Io } from "./io.ts";
import { type OutputFormat, outputOption, printAs } from "./output.ts";
import { version } from "./product.ts";

/** `kyma version [-o text|json|yaml]` */
export function command(io: Io): Command {
  return new Command()
    .description("Print the version of this program.")
    .addOption(outputOption())
    .action(({ output }: { output: OutputFormat }) => {
      printAs(io, output, { version }, () => `kyma version ${version}\n`);
    });
}
