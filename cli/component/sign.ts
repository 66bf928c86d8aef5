import {
  type ComponentVersion,
  completeDigests,
  completeReferences,
  componentId,
  getComponentVersion,
  type Normalisation,
  parsePrivateKey,
  pushComponentVersion,
  type SignatureAlgorithm,
  signatureAlgorithms,
  signDescriptor,
} from "@kyma-operators/ocm";
import { Command, Option } from "commander";
import type { Io } from "../io.ts";
import { version } from "../product.ts";
import { type ComponentPlace, parseComponentRef, placeOf, refHelp } from "./component-ref.ts";
import { normalisationOption } from "./normalisation.ts";
import { type RegistryFlags, withRegistry, withRegistryFlags } from "./registry.ts";
import { signatureOption } from "./signature-name.ts";

interface Options extends RegistryFlags {
  readonly key: string;
  readonly signature: string;
  readonly normalisation: Normalisation;
  readonly algorithm?: SignatureAlgorithm;
  readonly issuer: string;
  readonly replace?: boolean;
}

/** Digests of resources and references first: a signature covers nothing that has none. */
async function completed(
  io: Io,
  { client, repository }: ComponentPlace,
  component: ComponentVersion,
): Promise<ComponentVersion["descriptor"]> {
  const withDigests = await completeDigests(client, component, { signal: io.signal });
  return completeReferences(
    withDigests,
    async (name, at) =>
      (await getComponentVersion(client, repository, { name, version: at }, { signal: io.signal })).descriptor,
    "jsonNormalisation/v3",
  );
}

/** `kyma component sign REF --key FILE [--signature NAME] [--algorithm NAME] [--replace]` */
export function command(io: Io): Command {
  return withRegistryFlags(new Command())
    .description("Sign a component version with its contents, and write it back.")
    .argument("<ref>", refHelp)
    .requiredOption("--key <file>", "private key in PEM form")
    .addOption(signatureOption())
    .addOption(normalisationOption("jsonNormalisation/v3"))
    .addOption(
      new Option("--algorithm <name>", "how to sign (default: by the type of the key)").choices([
        ...signatureAlgorithms,
      ]),
    )
    .option("--issuer <name>", "written into the signature", "kyma-cli")
    .option("--replace", "replace a signature of the same name")
    .action(async (text: string, { key: keyFile, signature: name, ...options }: Options) => {
      const ref = parseComponentRef(text);
      const key = parsePrivateKey(await io.files.read(keyFile), keyFile);
      await withRegistry(io, options, async (registry) => {
        const place = await placeOf(io, ref, registry);
        const component = await getComponentVersion(place.client, place.repository, ref, { signal: io.signal });
        const { normalisation, algorithm, issuer, replace = false } = options;
        const how = { name, key, normalisation, issuer, replace, ...(algorithm === undefined ? {} : { algorithm }) };
        const descriptor = signDescriptor(await completed(io, place, component), how);
        const signed = { descriptor, blobs: component.layers };
        const call = { creator: `kyma-cli ${version}`, signal: io.signal };
        const pushed = await pushComponentVersion(place.client, place.repository, signed, call);
        await place.save();
        io.stdout.write(`${componentId(descriptor)}: signed as ${name}, ${pushed.digest}\n`);
      });
    });
}
