import { descriptorToObject, getComponentVersion, pullResource } from "@kyma-operators/ocm";
import { Command } from "commander";
import type { Io } from "../io.ts";
import { type OutputFormat, outputOption, printAs } from "../output.ts";
import { parseComponentRef, placeOf, refHelp } from "./component-ref.ts";
import { describeComponent } from "./describe.ts";
import { type RegistryFlags, withRegistry, withRegistryFlags } from "./registry.ts";

interface Options extends RegistryFlags {
  readonly output: OutputFormat;
  readonly resource?: string;
  readonly to?: string;
}

/** A resource is held in memory until it is written. */
const resourceLimitBytes = 1_073_741_824;

/** `kyma component get REF [-o text|json|yaml] [--resource NAME --to FILE]` */
export function command(io: Io): Command {
  return withRegistryFlags(new Command())
    .description("Show a component version of a registry or transport archive, or save one of its resources.")
    .argument("<ref>", refHelp)
    .addOption(outputOption())
    .option("--resource <name>", "save this resource instead of showing the component")
    .option("--to <file>", "where to save it (default: the resource's name)")
    .action(async (text: string, options: Options) => {
      const ref = parseComponentRef(text);
      await withRegistry(io, options, async (registry) => {
        const { client, repository } = await placeOf(io, ref, registry);
        const component = await getComponentVersion(client, repository, ref, { signal: io.signal });
        const { resource } = options;
        if (resource === undefined) {
          printAs(io, options.output, descriptorToObject(component.descriptor), () => describeComponent(component));
          return;
        }
        const bytes = await pullResource(client, component, resource, {
          signal: io.signal,
          limitBytes: resourceLimitBytes,
        });
        await io.files.write(options.to ?? resource, bytes);
        io.stdout.write(`${options.to ?? resource}: ${bytes.length} bytes\n`);
      });
    });
}
