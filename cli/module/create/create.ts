import { dirname, resolve } from "node:path";
import {
  componentId,
  createTransportClient,
  parsePrivateKey,
  pushComponentVersion,
  signDescriptor,
  writeTransportArchive,
} from "@kyma-operators/ocm";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import { Command, InvalidArgumentError, Option } from "commander";
import { filesInMemory } from "oras-js";
import { withRegistry } from "../../component/registry.ts";
import { moduleSignature } from "../../component/signature-name.ts";
import type { Io } from "../../io.ts";
import { type OutputFormat, printAs, progressOf, reportOption } from "../../output.ts";
import { version } from "../../product.ts";
import { buildComponent, type ModuleComponent } from "./component.ts";
import { type ModuleConfig, parseModuleConfig } from "./config.ts";
import { type DefaultCr, loadDefaultCr } from "./default-cr.ts";
import { type GitSource, readGitSource } from "./git.ts";
import { completeConfig, metadataOf, metadataResource } from "./metadata.ts";
import { pushedText, pushModule, templateText } from "./push.ts";
import { accessOf, destinationOf, type RegistryInput, withRegistryInput } from "./registry-access.ts";
import { parseSecurityScan, type SecurityScan } from "./security.ts";
import { type Layer, loadSource, type Place, pathIn } from "./source.ts";
import { buildTemplates } from "./template.ts";

interface Flags extends RegistryInput {
  readonly configFile: string;
  readonly output: string;
  readonly archive: string;
  readonly channel: readonly string[];
  readonly overwrite?: boolean;
  readonly key?: string;
  readonly dryRun?: boolean;
  readonly gitRemote: string;
  readonly registryCredSelector?: Readonly<Record<string, string>>;
  readonly descriptorVersion: "v2" | "ocm.software/v3alpha1";
  readonly report: OutputFormat;
}

/** `kyma module create`: what was made; the keys are a contract of `--report json`. */
export interface CreateReport {
  /** `NAME:VERSION` */
  readonly component: string;
  /** False when the registry held the same content already, without a registry, and in a dry run. */
  readonly pushed: boolean;
  /** The file with the objects that offer the version; absent where none was written. */
  readonly template?: string;
  /** The transport archive; absent where none was written. */
  readonly archive?: string;
  /** Of a dry run: what `template` would hold. */
  readonly objects?: readonly unknown[];
}

/** `kyma module create -c FILE [-r REGISTRY] [-o FILE] [--report text|json|yaml]` */
export function command(io: Io): Command {
  return withRegistryInput(new Command(), { required: false })
    .description("Make a module version: its component in a registry, and the objects that offer it.")
    .option("-c, --config-file <file>", "module config; its paths begin at its folder", "module-config.yaml")
    .option("-o, --output <file>", "where ModuleTemplate and ModuleReleaseMeta are written", "template.yaml")
    .option("--archive <file>", "transport archive to write when there is no registry", "module.ctf.tar")
    .option("--key <file>", "private key in PEM form to sign the component with")
    .addOption(
      new Option("--descriptor-version <version>", "form of the component descriptor")
        .choices(["v2", "ocm.software/v3alpha1"])
        .default("v2"),
    )
    .option("--git-remote <name>", "remote that names the repository of the sources", "origin")
    .addOption(
      new Option(
        "--registry-cred-selector <key=value,…>",
        "labels of the Secret with which the operator pulls the layers",
      ).argParser(parseLabels),
    )
    .option("--dry-run", "print the objects, push and write nothing")
    .addOption(reportOption())
    .action((flags: Flags) => run(io, flags));
}

/** `a=b,c=d` as labels. */
function parseLabels(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").map((pair) => pair.split("="));
  if (pairs.every(([key = "", value, ...rest]) => key !== "" && value !== undefined && rest.length === 0)) {
    return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
  }
  throw new InvalidArgumentError("expected KEY=VALUE, several separated by commas.");
}

/** Everything about the module that is known before a registry is asked. */
interface Prepared {
  readonly config: ModuleConfig;
  readonly defaultCr: DefaultCr | undefined;
  readonly component: ModuleComponent;
}

async function run(io: Io, flags: Flags): Promise<void> {
  const prepared = await prepare(io, flags);
  const access = accessOf(flags);
  const id = componentId(prepared.component.descriptor);
  const tell = (report: Omit<CreateReport, "component">, asText: () => string): void =>
    printAs(io, flags.report, { component: id, ...report } satisfies CreateReport, asText);
  if (flags.dryRun === true) {
    const objects = templatesOf(prepared, flags);
    return tell({ pushed: false, objects }, () => formatYamlDocuments(objects));
  }
  if (flags.registry === undefined) {
    const { archive } = flags;
    await pack(io, archive, prepared);
    return tell({ pushed: false, archive }, () => archiveText(archive));
  }
  const repository = { baseUrl: flags.registry, mapping: flags.nameMapping };
  await withRegistry(io, access, async (client) => {
    const push = { client, repository, overwrite: flags.overwrite ?? false, signal: io.signal };
    const { descriptor, written } = await pushModule(prepared.component, push);
    const objects = templatesOf({ ...prepared, component: { ...prepared.component, descriptor } }, flags);
    await io.files.write(flags.output, formatYamlDocuments(objects));
    progressOf(io, flags.report).write(pushedText(id, written));
    tell({ pushed: written, template: flags.output }, () => templateText(flags.output));
  });
}

async function prepare(io: Io, flags: Flags): Promise<Prepared> {
  const given = parseModuleConfig(await io.files.readText(flags.configFile), flags.configFile);
  const place = { io, folder: dirname(resolve(io.cwd, flags.configFile)) };
  const { layer, documents } = await loadSource(place, given);
  const defaultCr = await loadDefaultCr(place, given, documents);
  const config = completeConfig(given, defaultCr);
  const layers: Layer[] = [layer];
  if (defaultCr !== undefined) {
    const { content } = defaultCr;
    layers.push({ name: "default-cr", type: "yaml", mediaType: "application/octet-stream", content });
  }
  const mediaType = "application/octet-stream";
  layers.push({ name: metadataResource, type: "yaml", mediaType, content: metadataOf(config) });
  const component = buildComponent(config, {
    layers,
    destination: destinationOf(flags),
    schemaVersion: flags.descriptorVersion === "v2" ? "v2" : "v3alpha1",
    credentials: flags.registryCredSelector,
    source: await gitSource(place, flags.gitRemote),
    scan: await securityScan(place, given),
  });
  return { config, defaultCr, component: await signed(io, flags.key, component) };
}

async function gitSource({ io, folder }: Place, remote: string): Promise<GitSource | undefined> {
  const found = await readGitSource(io, folder, remote);
  if (found === undefined) io.stderr.write("no git repository around the config: the component names no sources\n");
  return found;
}

/** The scan config; one that is named but not there is left out, as it always was. */
async function securityScan(place: Place, { security }: ModuleConfig): Promise<SecurityScan | undefined> {
  if (security === undefined) return undefined;
  const path = pathIn(place, security);
  if ((await place.io.files.kind(path)) !== "file") return undefined;
  return parseSecurityScan(await place.io.files.readText(path), security);
}

async function signed(io: Io, keyFile: string | undefined, component: ModuleComponent): Promise<ModuleComponent> {
  if (keyFile === undefined) return component;
  const key = parsePrivateKey(await io.files.read(keyFile), keyFile);
  return { ...component, descriptor: signDescriptor(component.descriptor, { name: moduleSignature, key }) };
}

function templatesOf(
  { config, defaultCr, component }: Prepared,
  { channel }: Flags,
): ReturnType<typeof buildTemplates> {
  const own = config.channel === undefined ? [] : [config.channel];
  const channels = [...new Set([...own, ...channel])];
  return buildTemplates({
    config,
    ...(defaultCr === undefined ? {} : { data: defaultCr.object }),
    descriptor: component.descriptor,
    channels,
  });
}

/** Without a registry nobody could install from a template, so only the archive is written. */
async function pack(io: Io, archive: string, { component }: Prepared): Promise<void> {
  const files = new Map<string, Uint8Array>();
  const client = createTransportClient(filesInMemory(files), archive);
  await pushComponentVersion(client, { baseUrl: "archive.invalid" }, component, { creator: `kyma-cli ${version}` });
  await io.files.write(archive, writeTransportArchive(files));
}

function archiveText(archive: string): string {
  const next = `next: "kyma module push ${archive} --registry HOST" brings it there and writes the template`;
  return `${archive}: written; no template, because nothing was pushed\n${next}\n`;
}
