import { hasCode } from "@kyma-operators/errors";
import { type AnyObject, builtIn, type Client } from "@kyma-operators/kube";
import { type CredentialSource, credentialsFrom, noCredentials, parseDockerConfig } from "oras-js";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { names } from "../../../apis/operator/names.ts";
import type { LabelSelector } from "../../../apis/operator/object.ts";
import { manifestErrors } from "../errors.ts";
import { digestOf } from "../inventory/digest.ts";
import { isRecord, valueAt } from "../json.ts";

const { secrets } = builtIn;

export interface CredentialsOptions {
  /** The control plane. */
  readonly client: Client;
  /** Name of the installation's registry Secret in `kcp-system`; absent: anonymous. */
  readonly secretName?: string;
}

/**
 * Who we are towards registries: the Secrets that a source selects in the Manifest's own namespace, else the Secret of
 * the installation, else anonymous.
 *
 * A source returned for equal Secrets is the same object, so that clients and their tokens can be shared. Secrets are
 * read when a registry asks, so a rotated one needs no restart.
 */
export class Credentials {
  readonly #options: CredentialsOptions;
  readonly #sources = new Map<string, CredentialSource>();

  constructor(options: CredentialsOptions) {
    this.#options = options;
  }

  /** Throws when a Secret that was asked for is missing: an anonymous pull would hide the mistake. */
  async for(manifest: Manifest, signal: AbortSignal): Promise<CredentialSource> {
    const selector = selectorOf(manifest);
    if (selector !== undefined) {
      const namespace = manifest.metadata.namespace ?? "";
      const key = `${namespace}/${digestOf(selector)}`;
      return this.#source(key, () => this.#selected(namespace, selector), signal);
    }
    const { secretName } = this.#options;
    return secretName === undefined ? noCredentials : this.#source("", () => this.#installation(secretName), signal);
  }

  async #source(key: string, read: () => Promise<CredentialSource>, signal: AbortSignal): Promise<CredentialSource> {
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    signal.throwIfAborted();
    await read();
    const source: CredentialSource = async (repository) => (await read())(repository);
    this.#sources.set(key, source);
    return source;
  }

  async #installation(name: string): Promise<CredentialSource> {
    const ref = { resource: secrets, namespace: names.controlPlaneNamespace, name };
    try {
      return sourceFrom([await this.#options.client.get(ref)]);
    } catch (error) {
      if (hasCode(error, "KUBE_NOT_FOUND")) throw manifestErrors.REGISTRY_SECRET_MISSING({ name }, error);
      throw error;
    }
  }

  async #selected(namespace: string, selector: LabelSelector): Promise<CredentialSource> {
    const labelSelector = formatSelector(selector);
    const { items } = await this.#options.client.list(secrets, { namespace, labelSelector });
    if (items.length === 0) throw manifestErrors.SELECTOR_SECRET_MISSING({ namespace, selector: labelSelector });
    return sourceFrom(items);
  }
}

const dataKeys = [".dockerconfigjson", ".dockercfg"] as const;

function sourceFrom(found: readonly AnyObject[]): CredentialSource {
  return credentialsFrom(
    found.flatMap((secret) => {
      const name = `${secret.metadata.namespace ?? ""}/${secret.metadata.name ?? ""}`;
      const encoded = dataKeys.map((key) => valueAt(secret, "data", key)).find((value) => typeof value === "string");
      if (typeof encoded !== "string") {
        const problem = `expected one of the keys ${dataKeys.join(", ")}`;
        throw manifestErrors.REGISTRY_SECRET_INVALID({ secret: name, problem });
      }
      return parseDockerConfig(Buffer.from(encoded, "base64").toString("utf8"), `Secret ${name}`);
    }),
  );
}

function selectorOf(manifest: Manifest): LabelSelector | undefined {
  const selector = manifest.spec.install.source["credSecretSelector"];
  return isRecord(selector) && Object.keys(selector).length > 0 ? selector : undefined;
}

/** The selector in the form of a query: `a=b,c in (d,e),!f`. */
export function formatSelector(selector: LabelSelector): string {
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === "Exists") return key;
    if (operator === "DoesNotExist") return `!${key}`;
    return `${key} ${operator === "NotIn" ? "notin" : "in"} (${values.join(",")})`;
  });
  return [...labels, ...expressions].join(",");
}
