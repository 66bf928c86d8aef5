import { Command } from "commander";
import type { Io } from "./io.ts";
import { type OutputFormat, outputOption, printAs } from "./output.ts";
import { version } from "./product.ts";

/** `kyma version`: the program; the keys are a contract of `-o json`. */
interface Product {
  readonly version: string;
}

/** `kyma version [-o text|json|yaml]` */
export function command(io: Io): Command {
  return new Command()
    .description("Print the version of this program.")
    .addOption(outputOption())
    .action(({ output }: { output: OutputFormat }) => {
      const product: Product = { version };
      printAs(io, output, product, () => `kyma version ${version}\n`);
    });
}
