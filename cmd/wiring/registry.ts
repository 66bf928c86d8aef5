import { hasCode } from "@kyma-operators/errors";
import { builtIn, type Client } from "@kyma-operators/kube";
import { type CredentialSource, credentialsFrom, noCredentials, parseDockerConfig } from "oras-js";
import { startErrors } from "../flags/validate.ts";

/** Where the components of all modules live. */
export interface ModuleRegistry {
  /** Host with sub-path, without scheme: what Manifests carry. */
  readonly reference: string;
  /** The same with its scheme: what a client dials. */
  readonly baseUrl: string;
  readonly credentials: CredentialSource;
}

export interface RegistryFlags {
  readonly host: string;
  readonly secretName: string;
  readonly subPath: string;
  readonly namespace: string;
}

const { secrets } = builtIn;

/** The registry of the flags. Throws `START_REGISTRY` when the Secret is missing or names no single host. */
export async function moduleRegistry(client: Client, flags: RegistryFlags): Promise<ModuleRegistry> {
  if (flags.secretName === "") return { ...addressOf(flags.host, flags.subPath), credentials: noCredentials };
  const text = await readDockerConfig(client, flags);
  const host = singleHost(text, flags.secretName);
  // Read again whenever the registry asks, so that a rotated Secret needs no restart.
  const credentials: CredentialSource = async (repository) =>
    credentialsFrom(parseDockerConfig(await readDockerConfig(client, flags), `Secret ${flags.secretName}`))(repository);
  return { ...addressOf(host, flags.subPath), credentials };
}

/** `http://` in front of the host is the only way to plain HTTP. */
function addressOf(host: string, subPath: string): Pick<ModuleRegistry, "reference" | "baseUrl"> {
  const [, scheme = "https://", rest = ""] = /^(https?:\/\/)?(.*)$/.exec(host) ?? [];
  const path = subPath.replace(/^\/+|\/+$/g, "");
  const reference = [rest.replace(/\/+$/, ""), ...(path === "" ? [] : [path])].join("/");
  if (reference === "" || reference.startsWith("/"))
    throw startErrors.REGISTRY({ problem: `${JSON.stringify(host)} names no host` });
  return { reference, baseUrl: `${scheme}${reference}` };
}

async function readDockerConfig(client: Client, { secretName, namespace }: RegistryFlags): Promise<string> {
  const name = `Secret ${namespace}/${secretName}`;
  try {
    const secret = await client.get({ resource: secrets, namespace, name: secretName });
    const encoded = (secret["data"] as Record<string, string> | undefined)?.[".dockerconfigjson"];
    if (encoded === undefined) throw startErrors.REGISTRY({ problem: `${name} has no key .dockerconfigjson` });
    return Buffer.from(encoded, "base64").toString("utf8");
  } catch (error) {
    if (!hasCode(error, "KUBE_NOT_FOUND")) throw error;
    throw startErrors.REGISTRY(
      { problem: `${name} does not exist: create it, or name the registry with --oci-registry-host` },
      error,
    );
  }
}

function singleHost(dockerConfig: string, secretName: string): string {
  const hosts = Object.keys((JSON.parse(dockerConfig) as { auths?: object }).auths ?? {}).filter((host) => host !== "");
  const [host, ...others] = hosts;
  if (host !== undefined && others.length === 0) return host;
  throw startErrors.REGISTRY({
    problem: `Secret ${secretName} must name exactly one registry, it names ${hosts.length}`,
  });
}
