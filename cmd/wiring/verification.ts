import { readFile } from "node:fs/promises";
import { defineErrors, hasCode } from "@kyma-operators/errors";
import { type AnyObject, builtIn, type Client } from "@kyma-operators/kube";
import {
  type ComponentDescriptor,
  type ComponentVersion,
  type KeyReference,
  type KeySource,
  parseVerificationPolicy,
  type VerificationPolicy,
  Verifier,
} from "@kyma-operators/ocm";
import type { RegistryClient } from "oras-js";
import { names } from "../../apis/operator/names.ts";

const errors = defineErrors("VERIFICATION", {
  /** What modules are to be verified against can't be told from the flags. */
  FLAGS_INVALID: { retry: "on-change", text: (d: { problem: string }) => `verification of modules: ${d.problem}` },
});

export interface VerificationFlags {
  /** Verify every module, as the original did. */
  readonly enabled: boolean;
  /** File with the public key for all modules; empty: keys come from labelled Secrets. */
  readonly keyFile: string;
  /** File with a policy; empty: none. */
  readonly policyFile: string;
}

export interface VerificationDependencies {
  /** The control plane. */
  readonly client: Client;
  readonly registry: RegistryClient;
  readonly clock: { now(): number };
  /** Namespace of labelled key Secrets. */
  readonly namespace: string;
}

/** The name under which Kyma's tools sign modules. */
const moduleSignature = "kyma-module-signature";
const labels = {
  signature: "operator.kyma-project.io/signature",
  module: "operator.kyma-project.io/module-name",
} as const;
const labelledKey = "key";

const { secrets } = builtIn;

async function readPolicyFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw errors.FLAGS_INVALID({ problem: `${path} cannot be read` }, error);
  }
}

/** The policy of the flags; nothing when nothing is to be verified. Throws `VERIFICATION_FLAGS_INVALID`, `OCM_POLICY_INVALID`. */
export async function verificationPolicy(flags: VerificationFlags): Promise<VerificationPolicy | undefined> {
  const { enabled, keyFile, policyFile } = flags;
  if (policyFile !== "" && (enabled || keyFile !== "")) {
    throw errors.FLAGS_INVALID({
      problem: "--verification-policy replaces --enable-verification and its key file: give one",
    });
  }
  if (policyFile !== "") {
    return parseVerificationPolicy(await readPolicyFile(policyFile), {
      source: policyFile,
      signature: moduleSignature,
    });
  }
  if (!enabled) return undefined;
  const key: KeyReference = keyFile === "" ? { kind: "labelled" } : { kind: "pem", pem: await readPolicyFile(keyFile) };
  const everything = { repository: "**", require: "signature", signature: moduleSignature, keys: [key] } as const;
  return { components: [everything], images: [] };
}

function keysIn(secret: AnyObject, key: string): { pem: string; source: string }[] {
  const encoded = (secret["data"] as Readonly<Record<string, string>> | undefined)?.[key];
  const source = `Secret ${secret.metadata.namespace ?? ""}/${secret.metadata.name ?? ""}`;
  return encoded === undefined ? [] : [{ pem: Buffer.from(encoded, "base64").toString("utf8"), source }];
}

/** Public keys in Secrets of the control plane: named ones, or all with the labels of signature and module. */
export function keysFrom(client: Client, namespace: string): KeySource {
  return async (reference, { signature, component }) => {
    if (reference.kind === "labelled") {
      const module = component.split("/").at(-1) ?? component;
      const labelSelector = `${labels.signature}=${signature},${labels.module}=${module}`;
      const { items } = await client.list(secrets, { namespace, labelSelector });
      return items.flatMap((secret) => keysIn(secret, labelledKey));
    }
    try {
      const { namespace: at, name, key } = reference;
      return keysIn(await client.get({ resource: secrets, namespace: at, name }), key);
    } catch (error) {
      if (hasCode(error, "KUBE_NOT_FOUND")) return []; // the verifier refuses what has no key
      throw error;
    }
  };
}

/** The resources whose content the operator will use. */
function usedResources({ resources }: ComponentDescriptor): readonly string[] {
  return resources
    .filter(({ name, type }) => type === "helmChart" || [names.installName, "config", "kustomize"].includes(name))
    .map(({ name }) => name);
}

/** Verifies component versions by the policy of the flags; gives them back as they are when there is none. */
export async function componentVerification(
  flags: VerificationFlags,
  { client, registry, clock, namespace }: VerificationDependencies,
): Promise<(component: ComponentVersion) => Promise<ComponentVersion>> {
  const policy = await verificationPolicy(flags);
  if (policy === undefined) return async (component) => component;
  const verifier = new Verifier({ policy, keys: keysFrom(client, namespace), client: registry, clock });
  return (component) => verifier.verify(component, usedResources(component.descriptor));
}
