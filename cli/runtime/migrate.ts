import { isObject } from "@kyma-operators/gardener";
import { clusterFromKubeconfig, createClient, createHttpTransport, loadKubeconfig } from "@kyma-operators/kube";
import { Command, Option } from "commander";
import {
  parseAuditLogTenants,
  parseLandscapeConfig,
  parsePlatformRegions,
} from "../../controllers/runtime/shoot/index.ts";
import { throttleRetries } from "../cluster.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import {
  Migration,
  type MigrationOptions,
  type MigrationResult,
  type MigrationWorld,
  resultFolder,
} from "./migration.ts";
import { migrationSummary } from "./migration-summary.ts";

interface Flags {
  readonly gardenerKubeconfigPath: string;
  readonly kcpKubeconfigPath: string;
  readonly converterConfig: string;
  readonly auditLogConfig?: string;
  readonly platformRegions?: string;
  readonly inputFilePath: string;
  readonly inputType: "json" | "txt";
  readonly outputPath: string;
  readonly resume?: string;
  readonly dryRun: "true" | "false";
  readonly acceptDifferences: boolean;
}

/** Longest time for one cluster. */
const clusterTimeoutMs = 20_000;

/** `kyma runtime migrate …`: Runtimes for Shoots that the Provisioner made. */
export function command(io: Io): Command {
  return new Command()
    .description("Make Runtimes for Shoots that have none, and say what taking them over would change.")
    .requiredOption("--gardener-kubeconfig-path <file>", "kubeconfig of the Gardener project")
    .requiredOption("--kcp-kubeconfig-path <file>", "kubeconfig of the control plane")
    .requiredOption("--converter-config <file>", "converter configuration of the landscape")
    .requiredOption("--input-file-path <file>", "runtime ids")
    .option("--audit-log-config <file>", "audit-log tenants by provider and region")
    .option("--platform-regions <file>", "JSON: platform region by region, for clusters whose labels don't say")
    .addOption(new Option("--input-type <type>", "form of the ids").choices(["json", "txt"]).default("json"))
    .option("--output-path <folder>", "where the results go", "/tmp")
    .option("--resume <folder>", "results of an interrupted run: what succeeded is not done again")
    .addOption(new Option("--dry-run <bool>", "write no Runtime").choices(["true", "false"]).default("true"))
    .option("--accept-differences", "create Runtimes that would change their Shoot too", false)
    .action(async (flags: Flags) => {
      const options = await optionsOf(io, flags);
      const earlier = flags.resume === undefined ? [] : await readResults(io, flags.resume);
      const results = await withWorld(io, flags, async (world) =>
        new Migration(world, options).run(await readIds(io, flags), earlier),
      );
      io.stdout.write(migrationSummary(results, options));
      if (results.some(({ status }) => status !== "Success")) throw new ExitCode(exitCodes.warning);
    });
}

async function optionsOf(io: Io, flags: Flags): Promise<MigrationOptions> {
  const read = async <T>(parse: (text: string, file: string) => T, file: string | undefined): Promise<T> =>
    parse(file === undefined ? "{}" : await io.files.readText(file), file ?? "");
  return {
    config: await read(parseLandscapeConfig, flags.converterConfig),
    tenants: await read(parseAuditLogTenants, flags.auditLogConfig),
    platformRegions: await read(parsePlatformRegions, flags.platformRegions),
    isDryRun: flags.dryRun === "true",
    acceptDifferences: flags.acceptDifferences,
    folder: flags.resume ?? resultFolder(flags.outputPath, io.clock),
  };
}

async function readIds(io: Io, { inputFilePath, inputType }: Flags): Promise<readonly string[]> {
  const text = await io.files.readText(inputFilePath);
  const ids = inputType === "json" ? jsonIn(text) : text.split(/\s+/).filter((id) => id !== "");
  if (Array.isArray(ids) && ids.every((id) => typeof id === "string")) return ids;
  throw new ExitCode(exitCodes.refused, `${inputFilePath} is no list of runtime ids in the form ${inputType}`);
}

async function readResults(io: Io, folder: string): Promise<readonly MigrationResult[]> {
  const file = `${folder}/migration-results.json`;
  const results = jsonIn(await io.files.readText(file));
  if (Array.isArray(results) && results.every(isResult)) return results;
  throw new ExitCode(exitCodes.refused, `${file} holds no results of a migration: leave --resume out to begin anew`);
}

function isResult(value: unknown): value is MigrationResult {
  return isObject(value) && typeof value["runtimeId"] === "string" && typeof value["status"] === "string";
}

/** Undefined for what is no JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function withWorld<T>(io: Io, flags: Flags, use: (world: MigrationWorld) => Promise<T>): Promise<T> {
  const { clock, files, signal } = io;
  const shared = { clock, userAgent: "kyma", throttleRetries };
  const open = async (path: string) =>
    createClient({ ...shared, transport: createHttpTransport(await loadKubeconfig({ path, clock })) });
  const [gardener, controlPlane] = await Promise.all([
    open(flags.gardenerKubeconfigPath),
    open(flags.kcpKubeconfigPath),
  ]);
  const remotes: { close(): Promise<void> }[] = [gardener, controlPlane];
  const connect = (kubeconfig: string) => {
    const transport = createHttpTransport(clusterFromKubeconfig(kubeconfig));
    const client = createClient({ ...shared, transport, timeoutMs: clusterTimeoutMs });
    remotes.push(client);
    return client;
  };
  try {
    return await use({ gardener, controlPlane, connect, files, clock, signal });
  } finally {
    for (const remote of remotes) await remote.close();
  }
}
