import { isObject } from "@kyma-operators/gardener";
import { type Schema, unknownFields } from "@kyma-operators/schema";
import { Command, Option } from "commander";
import {
  type Problem,
  type Runtime,
  runtimeResource,
  validateRuntime,
  validateRuntimeUpdate,
} from "../../apis/infrastructure/index.ts";
import { convertToShoot, parseLandscapeConfig, parseRuntime } from "../../controllers/runtime/shoot/index.ts";
import { ExitCode, exitCodes } from "../command.ts";
import { admit, readCrdSchema } from "../crd-schema.ts";
import type { Io } from "../io.ts";
import { readDocument } from "./inputs.ts";

interface Flags {
  readonly filename: string;
  readonly converterConfig?: string;
  readonly old?: string;
  readonly output: "text" | "json";
}

/** `kyma runtime validate`: what is wrong; the keys are a contract of `-o json`. */
interface Validation {
  /** Empty where nothing is. `field` is a path, `message` says what to do about it. */
  readonly problems: readonly { readonly field: string; readonly message: string }[];
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
      const validation: Validation = { problems: await problemsOf(io, flags) };
      const { problems } = validation;
      if (flags.output === "json") io.stdout.write(`${JSON.stringify(validation)}\n`);
      else for (const { field, message } of problems) io.stdout.write(`${field}: ${message}\n`);
      if (problems.length > 0)
        throw new ExitCode(exitCodes.error, `${flags.filename} has ${problems.length} problem(s)`);
      if (flags.output === "text") io.stdout.write(`${flags.filename} is valid\n`);
    });
}

async function problemsOf(io: Io, flags: Flags): Promise<readonly Problem[]> {
  const schema = await readCrdSchema(io, runtimeResource);
  const document = await readDocument(io, flags.filename);
  const { object, refused, unknown } = judge(schema, document);
  // A field of the wrong type has no meaning that could be checked.
  if (refused.length > 0) return [...refused, ...unknown];
  const runtime = parseRuntime(object, flags.filename);
  const update = flags.old === undefined ? [] : validateRuntimeUpdate(await readOld(io, flags.old, schema), runtime);
  if (flags.converterConfig === undefined) return [...unknown, ...validateRuntime(runtime), ...update];
  const config = parseLandscapeConfig(await io.files.readText(flags.converterConfig), flags.converterConfig);
  const { projectName } = config.converter.gardener;
  const problems = [...unknown, ...validateRuntime(runtime, { projectName }), ...update];
  // What validation lets pass must convert; if it does not, the conversion's own text is the best there is.
  if (problems.length === 0) convertToShoot({ runtime, config });
  return problems;
}

/** The Runtime as it is now, with the defaults that the API server gave it. */
async function readOld(io: Io, file: string, schema: Schema): Promise<Runtime> {
  return parseRuntime(admit(schema, await readDocument(io, file)).object, file);
}

interface Judgement {
  /** What the API server would store. */
  readonly object: unknown;
  /** What it refuses. */
  readonly refused: readonly Problem[];
  /** What it drops without a word. */
  readonly unknown: readonly Problem[];
}

function judge(schema: Schema, document: unknown): Judgement {
  const strange = identityProblems(document);
  if (strange.length > 0) return { object: document, refused: strange, unknown: [] };
  const { object, faults } = admit(schema, document);
  return {
    object,
    refused: faults.map(({ field, message }) => ({ field, message })),
    unknown: unknownFields(schema, document, { root: true }).map((field) => ({
      field,
      message: "is no field of a Runtime",
    })),
  };
}

const { group, version, kind } = runtimeResource;
const identity = { apiVersion: `${group}/${version}`, kind };

/** What keeps a document from being a Runtime at all. */
function identityProblems(document: unknown): readonly Problem[] {
  const found = isObject(document) ? document : {};
  return Object.entries(identity)
    .filter(([field, expected]) => found[field] !== expected)
    .map(([field, expected]) => ({ field, message: `must be ${expected}, found ${JSON.stringify(found[field])}` }));
}
