import { type CosignClient, formatReference, formatRepository, type Reference, verifyCosign } from "oras-js";
import { verifyCoverage } from "./contents.ts";
import { ocm } from "./errors.ts";
import { componentId, findResource } from "./layers.ts";
import { type KeyReference, type PolicyRule, ruleFor, type VerificationPolicy } from "./policy.ts";
import type { ComponentVersion } from "./pull.ts";
import { parsePublicKey, verifySignature } from "./signature.ts";

/**
 * Finds the public keys in PEM form behind a reference; several when Secrets are found by label, none
 * when there is none.
 */
export type KeySource = (
  reference: Exclude<KeyReference, { kind: "pem" }>,
  wanted: { readonly signature: string; readonly component: string },
) => Promise<readonly { readonly pem: string; readonly source: string }[]>;

export interface VerifierDependencies {
  readonly policy: VerificationPolicy;
  readonly keys: KeySource;
}

type Keys = Awaited<ReturnType<KeySource>>;

/** Holds components and images against the policy. Whatever cannot be verified is refused. */
export class Verifier {
  readonly #policy: VerificationPolicy;
  readonly #keys: KeySource;

  constructor({ policy, keys }: VerifierDependencies) {
    this.#policy = policy;
    this.#keys = keys;
  }

  /**
   * Verifies a component version before any of its resources is used.
   *
   * @param resources - the names of those that will be used; the content of each must be fixed by a digest
   * @returns the digest that each of them must have, empty where the policy requires nothing
   * @throws OCM_SIGNATURE_REFUSED, OCM_DIGEST_REFUSED, OCM_KEY_INVALID, OCM_RESOURCE_MISSING
   */
  async verifyComponent(
    component: ComponentVersion,
    resources: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const { descriptor, repository } = component;
    const rule = ruleFor(this.#policy.components, formatRepository(repository));
    if (rule === undefined || rule.require === "none") return new Map();
    if (rule.require === "signature") await this.#verifySigned(component, rule);
    const digests = resources.map(
      (name) => [name, verifyCoverage(descriptor, findResource(descriptor, name))] as const,
    );
    return new Map(digests);
  }

  /**
   * Verifies an image by its cosign signatures, or that its reference fixes a digest.
   *
   * @returns the reference to go on with; after a signature check it carries the verified digest
   * @throws OCI_SIGNATURE_INVALID, OCM_DIGEST_REFUSED
   */
  async verifyImage(client: CosignClient, image: Reference, signal?: AbortSignal): Promise<Reference> {
    const rule = ruleFor(this.#policy.images, formatRepository(image));
    if (rule === undefined || rule.require === "none") return image;
    const ref = formatReference(image);
    if (rule.require === "digest") {
      if (image.digest !== undefined) return image;
      throw ocm.DIGEST_REFUSED({
        component: "image",
        resource: ref,
        reason: "the policy asks for a digest in the reference",
      });
    }
    const keys = await this.#keysOf(rule, ref);
    const parsed = keys.map(({ pem, source }) => parsePublicKey(pem, source));
    return verifyCosign(client, image, parsed, signal === undefined ? {} : { signal });
  }

  async #keysOf(rule: PolicyRule, component: string): Promise<Keys> {
    const found: { pem: string; source: string }[] = [];
    for (const reference of rule.keys) {
      if (reference.kind === "pem") found.push({ pem: reference.pem, source: "in the verification policy" });
      else found.push(...(await this.#keys(reference, { signature: rule.signature, component })));
    }
    if (found.length > 0) return found;
    throw ocm.SIGNATURE_REFUSED({ component, signature: rule.signature, reason: "no public key was found for it" });
  }

  async #verifySigned({ descriptor }: ComponentVersion, rule: PolicyRule): Promise<void> {
    const keys = await this.#keysOf(rule, descriptor.name);
    const parsed = keys.map(({ pem, source }) => parsePublicKey(pem, source));
    let refusal: unknown;
    for (const key of parsed) {
      try {
        verifySignature(descriptor, rule.signature, key);
        return;
      } catch (error) {
        refusal = error;
      }
    }
    throw (
      refusal ??
      ocm.SIGNATURE_REFUSED({ component: componentId(descriptor), signature: rule.signature, reason: "no key" })
    );
  }
}
