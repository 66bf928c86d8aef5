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
import { Command, Option } from "commander";
import { filesInMemory } from "oras-js";
import { withRegistry, withRegistryFlags } from "../../component/registry.ts";
import { moduleSignature } from "../../component/signature-name.ts";
import type { Io } from "../../io.ts";
import { version } from "../../product.ts";
import { buildComponent, type ModuleComponent } from "./component.ts";
import { type ModuleConfig, parseModuleConfig } from "./config.ts";
import { type DefaultCr, loadDefaultCr } from "./default-cr.ts";
import { pushModule } from "./push.ts";
import { accessOf, destinationOf, type RegistryInput } from "./registry-access.ts";
import { type Layer, loadSource } from "./source.ts";
import { buildTemplates } from "./template.ts";

interface Flags extends RegistryInput {
  readonly configFile: string;
  readonly output: string;
  readonly archive: string;
  readonly channel: readonly string[];
  readonly overwrite?: boolean;
  readonly key?: string;
  readonly dryRun?: boolean;
}

const repeat = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** `kyma module create -c FILE [-r REGISTRY] [-o FILE]` */
export function command(io: Io): Command {
  return withRegistryFlags(new Command())
    .description("Make a module version: its component in a registry, and the objects that offer it.")
    .option("-c, --config-file <file>", "module config; its paths begin at its folder", "module-config.yaml")
    .option("-r, --registry <url>", "registry to push to; without it the component is written to --archive")
    .option("-o, --output <file>", "where ModuleTemplate and ModuleReleaseMeta are written", "template.yaml")
    .option("--archive <file>", "transport archive to write when there is no registry", "module.ctf.tar")
    .option("--channel <name>", "channel that shall lead to this version; repeatable", repeat, [])
    .option("--overwrite", "replace a version that the registry holds with other content")
    .option("--insecure", "allow a registry without TLS")
    .option("--credentials <user:password>", "for the registry; wins over the docker configuration")
    .option("--token <token>", "bearer token for the registry")
    .option("--key <file>", "private key in PEM form to sign the component with")
    .addOption(
      new Option("--name-mapping <name>", "how the component's name becomes a repository")
        .choices(["urlPath", "sha256-digest"])
        .default("urlPath"),
    )
    .option("--dry-run", "print the objects, push and write nothing")
    .action((flags: Flags) => run(io, flags));
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
  if (flags.dryRun === true) {
    io.stdout.write(templatesText(prepared, flags));
    return;
  }
  if (flags.registry === undefined) return pack(io, flags, prepared);
  const repository = { baseUrl: flags.registry, mapping: flags.nameMapping };
  const id = componentId(prepared.component.descriptor);
  await withRegistry(io, access, async (client) => {
    const push = { client, repository, overwrite: flags.overwrite ?? false, signal: io.signal };
    const { descriptor, written } = await pushModule(prepared.component, push);
    await io.files.write(
      flags.output,
      templatesText({ ...prepared, component: { ...prepared.component, descriptor } }, flags),
    );
    io.stdout.write(`${id}: ${written ? "pushed" : "is in the registry already, used as it is"}\n`);
    io.stdout.write(`${flags.output}: written\n`);
  });
}

async function prepare(io: Io, flags: Flags): Promise<Prepared> {
  const config = parseModuleConfig(await io.files.readText(flags.configFile), flags.configFile);
  const place = { io, folder: dirname(resolve(io.cwd, flags.configFile)) };
  const { layer, documents } = await loadSource(place, config);
  const defaultCr = await loadDefaultCr(place, config, documents);
  const layers: Layer[] = [layer];
  if (defaultCr !== undefined) {
    const { content } = defaultCr;
    layers.push({ name: "default-cr", type: "yaml", mediaType: "application/octet-stream", content });
  }
  const component = buildComponent(config, layers, destinationOf(flags));
  return { config, defaultCr, component: await signed(io, flags.key, component) };
}

async function signed(io: Io, keyFile: string | undefined, component: ModuleComponent): Promise<ModuleComponent> {
  if (keyFile === undefined) return component;
  const key = parsePrivateKey(await io.files.read(keyFile), keyFile);
  return { ...component, descriptor: signDescriptor(component.descriptor, { name: moduleSignature, key }) };
}

function templatesText({ config, defaultCr, component }: Prepared, { channel }: Flags): string {
  const own = config.channel === undefined ? [] : [config.channel];
  const channels = [...new Set([...own, ...channel])];
  return formatYamlDocuments(buildTemplates({ config, defaultCr, descriptor: component.descriptor, channels }));
}

/** Without a registry nobody could install from a template, so only the archive is written. */
async function pack(io: Io, { archive }: Flags, { component }: Prepared): Promise<void> {
  const files = new Map<string, Uint8Array>();
  const client = createTransportClient(filesInMemory(files), archive);
  await pushComponentVersion(client, { baseUrl: "archive.invalid" }, component, { creator: `kyma-cli ${version}` });
  await io.files.write(archive, writeTransportArchive(files));
  io.stdout.write(`${archive}: written; no template, because nothing was pushed: name a --registry for both\n`);
}
