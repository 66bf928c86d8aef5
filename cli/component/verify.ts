import {
  type ComponentVersion,
  completeReferences,
  componentId,
  getComponentVersion,
  parsePublicKey,
  verifyContents,
  verifySignature,
} from "@kyma-operators/ocm";
import { Command } from "commander";
import type { Io } from "../io.ts";
import { type ComponentPlace, parseComponentRef, placeOf, refHelp } from "./component-ref.ts";
import { type RegistryFlags, withRegistry, withRegistryFlags } from "./registry.ts";
import { signatureOption } from "./signature-name.ts";

interface Options extends RegistryFlags {
  readonly key: string;
  readonly signature: string;
  readonly contents: boolean;
}

/** The contents of all resources, and what the component refers to. */
async function verifyAll(io: Io, { client, repository }: ComponentPlace, component: ComponentVersion): Promise<string> {
  const unchecked = await verifyContents(client, component, { signal: io.signal });
  await completeReferences(
    component.descriptor,
    async (name, version) =>
      (await getComponentVersion(client, repository, { name, version }, { signal: io.signal })).descriptor,
    "jsonNormalisation/v3",
  );
  const checked = component.descriptor.resources.length - unchecked.length;
  const rest = unchecked.length === 0 ? "" : `, not checked: ${unchecked.join(", ")}`;
  return `contents of ${checked} resources are as signed${rest}`;
}

/** `kyma component verify REF --key FILE [--signature NAME] [--no-contents]` */
export function command(io: Io): Command {
  return withRegistryFlags(new Command())
    .description("Verify the signature of a component version, and that its contents are those that were signed.")
    .argument("<ref>", refHelp)
    .requiredOption("--key <file>", "public key or certificate in PEM form")
    .addOption(signatureOption())
    .option("--no-contents", "verify the signature alone")
    .action(async (text: string, options: Options) => {
      const ref = parseComponentRef(text);
      const key = parsePublicKey(await io.files.read(options.key), options.key);
      await withRegistry(io, options, async (registry) => {
        const place = await placeOf(io, ref, registry);
        const component = await getComponentVersion(place.client, place.repository, ref, { signal: io.signal });
        const { signature } = verifySignature(component.descriptor, options.signature, key);
        const id = componentId(component.descriptor);
        io.stdout.write(`${id}: signature ${options.signature} (${signature.algorithm}) is valid\n`);
        if (options.contents) io.stdout.write(`${id}: ${await verifyAll(io, place, component)}\n`);
      });
    });
}
