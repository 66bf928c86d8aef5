import { Command, Option } from "commander";
import { validateRuntime, validateRuntimeUpdate } from "../../apis/infrastructure/index.ts";
import { convertToShoot, parseLandscapeConfig } from "../../controllers/runtime/shoot/index.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import { readRuntime } from "./inputs.ts";

interface Flags {
  readonly filename: string;
  readonly converterConfig?: string;
  readonly old?: string;
  readonly output: "text" | "json";
}

/** `kyma runtime validate -f FILE [--converter-config FILE] [--old FILE] [-o text|json]` */
export function command(io: Io): Command {
  return new Command()
    .description("Say what is wrong with a Runtime; ends with 1 if anything is.")
    .requiredOption("-f, --filename <file>", "the Runtime; - reads standard input")
    .option("--converter-config <file>", "check against this landscape too: name length, conversion")
    .option("--old <file>", "the Runtime as it is now: check what an update may change")
    .addOption(new Option("-o, --output <format>", "output format").choices(["text", "json"]).default("text"))
    .action(async (flags: Flags) => {
      const problems = await validate(io, flags);
      if (flags.output === "json") io.stdout.write(`${JSON.stringify({ problems })}\n`);
      else for (const { field, message } of problems) io.stdout.write(`${field}: ${message}\n`);
      if (problems.length > 0)
        throw new ExitCode(exitCodes.error, `${flags.filename} has ${problems.length} problem(s)`);
      if (flags.output === "text") io.stdout.write(`${flags.filename} is valid\n`);
    });
}

async function validate(
  io: Io,
  flags: Flags,
): Promise<readonly { readonly field: string; readonly message: string }[]> {
  const runtime = await readRuntime(io, flags.filename);
  const update = flags.old === undefined ? [] : validateRuntimeUpdate(await readRuntime(io, flags.old), runtime);
  if (flags.converterConfig === undefined) return [...validateRuntime(runtime), ...update];
  const config = parseLandscapeConfig(await io.files.readText(flags.converterConfig), flags.converterConfig);
  const problems = [...validateRuntime(runtime, { projectName: config.converter.gardener.projectName }), ...update];
  // What validation lets pass must convert; if it does not, the conversion's own text is the best there is.
  if (problems.length === 0) convertToShoot({ runtime, config });
  return problems;
}
