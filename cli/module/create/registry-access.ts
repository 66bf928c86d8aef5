import { Secret } from "@kyma-operators/errors";
import type { ComponentNameMapping } from "@kyma-operators/ocm";
import { type Command, Option } from "commander";
import type { Credential } from "oras-js";
import { ExitCode, exitCodes } from "../../command.ts";
import { type RegistryAccess, type RegistryFlags, withRegistryFlags } from "../../component/registry.ts";
import type { Destination } from "./component.ts";

export interface RegistryInput extends RegistryFlags {
  readonly registry?: string;
  readonly nameMapping: ComponentNameMapping;
  readonly credentials?: string;
  readonly token?: string;
  readonly insecure?: boolean;
}

const repeat = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** Adds the flags of commands that push modules. */
export function withRegistryInput(command: Command, { required }: { readonly required: boolean }): Command {
  const registry = new Option(
    "-r, --registry <url>",
    `registry to push to${required ? "" : "; without it the component is written to --archive"}`,
  );
  return withRegistryFlags(command)
    .addOption(registry.makeOptionMandatory(required))
    .option("--channel <name>", "channel that shall lead to this version; repeatable", repeat, [])
    .option("--overwrite", "replace a version that the registry holds with other content")
    .option("--insecure", "allow a registry without TLS")
    .option("--credentials <user:password>", "for the registry; wins over the docker configuration")
    .option("--token <token>", "bearer token for the registry")
    .addOption(
      new Option("--name-mapping <name>", "how the component's name becomes a repository")
        .choices(["urlPath", "sha256-digest"])
        .default("urlPath"),
    );
}

/** The registry's place in a descriptor: without the scheme, which says how to reach it and not where it is. */
export function destinationOf({ registry, nameMapping }: RegistryInput): Destination | undefined {
  if (registry === undefined) return undefined;
  return { baseUrl: registry.replace(/^(https?|oci):\/\//, "").replace(/\/+$/, ""), mapping: nameMapping };
}

/** How to reach the registry. What the flags say wins over the docker configuration. Throws with the usage code. */
export function accessOf(input: RegistryInput): RegistryAccess {
  const { config, caFile } = input;
  const host = destinationOf(input)?.baseUrl.split("/")[0] ?? "";
  return {
    ...(config === undefined ? {} : { config }),
    ...(caFile === undefined ? {} : { caFile }),
    ...credentialsFor(host, credentialOf(input)),
    ...plainHttpFor(host, input),
  };
}

function plainHttpFor(host: string, { registry = "", insecure }: RegistryInput): Pick<RegistryAccess, "plainHttp"> {
  if (insecure === true) return registry.startsWith("https://") ? {} : { plainHttp: { hosts: [host] } };
  if (!registry.startsWith("http://") || isLoopback(host)) return {};
  throw refused(`--registry ${registry} is reached without TLS: use https://, or allow it with --insecure`);
}

function credentialsFor(host: string, credential: Credential | undefined): Pick<RegistryAccess, "credentials"> {
  if (credential === undefined) return {};
  return { credentials: async (repository) => (repository.host === host ? credential : undefined) };
}

function credentialOf({ credentials, token }: RegistryInput): Credential | undefined {
  if (credentials !== undefined && token !== undefined) throw refused("give --credentials or --token, not both");
  if (token !== undefined) return { registryToken: new Secret(token) };
  if (credentials === undefined) return undefined;
  const colon = credentials.indexOf(":");
  if (colon <= 0) throw refused("--credentials: expected USER:PASSWORD");
  return { username: credentials.slice(0, colon), password: new Secret(credentials.slice(colon + 1)) };
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host);
}

function refused(message: string): ExitCode {
  return new ExitCode(exitCodes.refused, message);
}
