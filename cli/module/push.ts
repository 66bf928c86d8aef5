import {
  type ComponentDescriptor,
  type ComponentVersion,
  componentId,
  createTransportClient,
  getComponentVersion,
  listComponents,
  readTransportArchive,
  versionOfTag,
} from "@kyma-operators/ocm";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import { Command } from "commander";
import { type FileClient, filesInMemory, type RegistryClient } from "oras-js";
import { withRegistry } from "../component/registry.ts";
import type { Io } from "../io.ts";
import { type OutputFormat, printAs, progressOf, reportOption } from "../output.ts";
import type { Destination } from "./create/component.ts";
import { templatesOfComponent } from "./create/from-component.ts";
import { pushedText, pushModule, templateText } from "./create/push.ts";
import { accessOf, destinationOf, type RegistryInput, withRegistryInput } from "./create/registry-access.ts";

interface Flags extends RegistryInput {
  readonly registry: string;
  readonly output: string;
  readonly channel: readonly string[];
  readonly overwrite?: boolean;
  readonly report: OutputFormat;
}

/** `kyma module push`: one component of the archive; the keys are a contract of `--report json`. */
export interface PushedComponent {
  /** `NAME:VERSION` */
  readonly component: string;
  /** False when the registry held the same content already. */
  readonly pushed: boolean;
}

/** `kyma module push`: all of it; the keys are a contract of `--report json`. */
export interface PushReport {
  readonly components: readonly PushedComponent[];
  /** The file with the objects that offer them. */
  readonly template: string;
}

/** `kyma module push ARCHIVE -r REGISTRY [-o FILE] [--report text|json|yaml]` */
export function command(io: Io): Command {
  return withRegistryInput(new Command(), { required: true })
    .description("Push the modules of a transport archive, as module create writes it, and write what offers them.")
    .argument("<archive>", "transport archive, a tar or tgz")
    .option("-o, --output <file>", "where ModuleTemplates and ModuleReleaseMetas are written", "template.yaml")
    .addOption(reportOption())
    .action((archive: string, flags: Flags) => push(io, archive, flags));
}

async function push(io: Io, archive: string, flags: Flags): Promise<void> {
  const destination = destinationOf(flags);
  if (destination === undefined) return;
  const files = filesInMemory(await readTransportArchive(await io.files.read(archive), { name: archive }));
  const source = createTransportClient(files, archive);
  const texts: string[] = [];
  const components: PushedComponent[] = [];
  await withRegistry(io, accessOf(flags), async (client) => {
    for (const { name, tag } of await listComponents(files, archive)) {
      const id = { name, version: versionOfTag(tag) };
      const found = await getComponentVersion(source, { baseUrl: "archive.invalid" }, id, { signal: io.signal });
      const { text, ...pushed } = await pushOne(io, { source, client, found, destination }, flags);
      texts.push(text);
      components.push(pushed);
    }
  });
  await io.files.write(flags.output, texts.join("---\n"));
  const report: PushReport = { components, template: flags.output };
  printAs(io, flags.report, report, () => templateText(flags.output));
}

interface Transfer {
  readonly source: FileClient;
  readonly client: RegistryClient;
  readonly found: ComponentVersion;
  readonly destination: Destination;
}

async function pushOne(io: Io, transfer: Transfer, flags: Flags): Promise<PushedComponent & { readonly text: string }> {
  const { source, client, found, destination } = transfer;
  const { signal } = io;
  const blobs = await Promise.all(
    found.layers.map(async ({ digest, size }) => ({
      digest,
      content: await source.pullBlob(found.repository, { digest, size }, { signal }),
    })),
  );
  const repository = { baseUrl: flags.registry, mapping: flags.nameMapping };
  const component = { descriptor: movedTo(found.descriptor, destination), blobs };
  const { descriptor, written } = await pushModule(component, {
    client,
    repository,
    overwrite: flags.overwrite ?? false,
    signal,
  });
  const id = componentId(descriptor);
  progressOf(io, flags.report).write(pushedText(id, written));
  const templates = await templatesOfComponent({ client: source, found, signal }, flags.channel, descriptor);
  return { component: id, pushed: written, text: formatYamlDocuments(templates) };
}

/** Every hop of a transport adds the place it leads to; signatures do not cover it. */
function movedTo(descriptor: ComponentDescriptor, { baseUrl, mapping }: Destination): ComponentDescriptor {
  const context = { type: "OCIRegistry", baseUrl, componentNameMapping: mapping };
  return { ...descriptor, repositoryContexts: [...descriptor.repositoryContexts, context] };
}
