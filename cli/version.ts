import { Command, Option } from "commander";
import type { Io } from "./io.ts";
import { version } from "./product.ts";

/** `kyma version [-o text|json]` */
export function command(io: Io): Command {
  return new Command()
    .description("Print the version of this program.")
    .addOption(new Option("-o, --output <format>", "output format").choices(["text", "json"]).default("text"))
    .action(({ output }: { output: "text" | "json" }) => {
      io.stdout.write(output === "json" ? `${JSON.stringify({ version })}\n` : `kyma version ${version}\n`);
    });
}
