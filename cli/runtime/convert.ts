import type { Shoot } from "@kyma-operators/gardener";
import { formatYaml } from "@kyma-operators/yaml";
import { Command } from "commander";
import { convertToPatch, convertToShoot } from "../../controllers/runtime/shoot/index.ts";
import type { Io } from "../io.ts";
import {
  type ConversionFlags,
  outputOption,
  readCaches,
  readConversionInput,
  readExistingShoot,
  withConversionFlags,
} from "./inputs.ts";

interface Flags extends ConversionFlags {
  readonly existingShoot?: string;
  readonly output: "yaml" | "json";
}

/** `kyma runtime convert -f FILE --converter-config FILE [--existing-shoot FILE] …` */
export function command(io: Io): Command {
  return withConversionFlags(new Command())
    .description("Print the Shoot that would be created, or what would be applied to the existing one.")
    .option(
      "--existing-shoot <file>",
      "the Shoot as Gardener has it, - reads standard input: print the apply body for it",
    )
    .addOption(outputOption())
    .action(async (flags: Flags) => {
      const shoot = await convert(io, flags);
      io.stdout.write(flags.output === "json" ? `${JSON.stringify(shoot, undefined, 2)}\n` : formatYaml(shoot));
    });
}

async function convert(io: Io, flags: Flags): Promise<Shoot> {
  const input = await readConversionInput(io, flags);
  if (flags.existingShoot === undefined) return convertToShoot(input);
  const shoot = await readExistingShoot(io, flags.existingShoot, input);
  return convertToPatch({ ...input, shoot, caches: await readCaches(io, flags.cacheConfig) });
}
