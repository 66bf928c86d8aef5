import { projectNamespace, type Shoot } from "@kyma-operators/gardener";
import { parseYaml, parseYamlDocuments } from "@kyma-operators/yaml";
import { type Command, Option } from "commander";
import type { RegistryCache, Runtime } from "../../apis/infrastructure/index.ts";
import {
  type ConversionInput,
  conversionErrors,
  parseAuditLogTenants,
  parseCustomConfig,
  parseLandscapeConfig,
  parseMaintenanceWindows,
  parseRuntime,
  parseShoot,
} from "../../controllers/runtime/shoot/index.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";

export interface ConversionFlags {
  readonly filename: string;
  readonly converterConfig: string;
  readonly auditLogConfig?: string;
  readonly maintenanceWindows?: string;
  readonly cacheConfig?: string;
  readonly structuredAuthEnabled: boolean;
}

/** Flags of every command that converts. Paths inside the converter configuration are not read. */
export function withConversionFlags(command: Command): Command {
  return command
    .requiredOption("-f, --filename <file>", "the Runtime; - reads standard input")
    .requiredOption("--converter-config <file>", "converter configuration of the landscape")
    .option("--audit-log-config <file>", "audit-log tenants by provider and region; without it no audit log")
    .option("--maintenance-windows <file>", "maintenance windows by region; without it none is set")
    .option("--cache-config <file>", "CustomConfig found on the cluster, for a Runtime with image registry caches")
    .option("--structured-auth-enabled", "structured authentication below Kubernetes 1.32 too", false);
}

export function outputOption(): Option {
  return new Option("-o, --output <format>", "output format").choices(["yaml", "json"]).default("yaml");
}

/** A file as text; `-` is standard input. */
export async function readInput(io: Io, file: string): Promise<string> {
  return file === "-" ? new TextDecoder().decode(await io.stdin()) : io.files.readText(file);
}

/** The one Runtime of a file. */
async function readRuntime(io: Io, file: string): Promise<Runtime> {
  return parseRuntime(await readDocument(io, file), file);
}

/** The one document of a file, whatever it is. */
export async function readDocument(io: Io, file: string): Promise<unknown> {
  const documents = parseYamlDocuments(await readInput(io, file), { name: file }).filter((each) => each !== null);
  if (documents.length > 1) {
    const problem = `holds ${documents.length} documents, one Runtime is read at a time`;
    throw conversionErrors.NOT_READABLE({ source: file, problems: [problem] });
  }
  return documents[0];
}

/** Everything a conversion needs, from files. A region without a tenant or window simply has none. */
export async function readConversionInput(io: Io, flags: ConversionFlags): Promise<ConversionInput> {
  const runtime = await readRuntime(io, flags.filename);
  const config = parseLandscapeConfig(await io.files.readText(flags.converterConfig), flags.converterConfig);
  const { region, provider } = runtime.spec.shoot;
  const tenants = await readOptional(io, flags.auditLogConfig, parseAuditLogTenants);
  const windows = await readOptional(io, flags.maintenanceWindows, parseMaintenanceWindows);
  const auditLog = tenants?.[provider.type]?.[region];
  const maintenanceWindow = windows?.[region];
  return {
    runtime,
    config,
    structuredAuthentication: flags.structuredAuthEnabled,
    ...(auditLog === undefined ? {} : { auditLog }),
    ...(maintenanceWindow === undefined ? {} : { maintenanceWindow }),
  };
}

/** The Shoot of a file, as Gardener has it. Ends with the usage code when it is that of another Runtime. */
export async function readExistingShoot(io: Io, file: string, { runtime, config }: ConversionInput): Promise<Shoot> {
  const shoot = parseShoot(parseYaml(await readInput(io, file), { name: file }), file);
  const wanted = {
    name: runtime.spec.shoot.name,
    namespace: projectNamespace(config.converter.gardener.projectName),
  };
  const { name, namespace = wanted.namespace } = shoot.metadata;
  if (name === wanted.name && namespace === wanted.namespace) return shoot;
  const expected = `expected Shoot ${wanted.namespace}/${wanted.name}, which Runtime ${runtime.metadata.name} describes`;
  throw new ExitCode(exitCodes.refused, `${file}: ${expected}, found Shoot ${namespace}/${name}`);
}

/** The caches of every CustomConfig in the file. */
export async function readCaches(io: Io, file: string | undefined): Promise<readonly RegistryCache[]> {
  if (file === undefined) return [];
  const documents = parseYamlDocuments(await io.files.readText(file), { name: file }).filter((each) => each !== null);
  return documents.flatMap((document) => parseCustomConfig(document, file).spec?.caches ?? []);
}

async function readOptional<T>(
  io: Io,
  file: string | undefined,
  parse: (text: string, file: string) => T,
): Promise<T | undefined> {
  return file === undefined ? undefined : parse(await io.files.readText(file), file);
}
