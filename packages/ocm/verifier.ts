import type { KeyObject } from "node:crypto";
import { type CosignClient, formatReference, formatRepository, verifyCosign } from "oras-js";
import { digestRefused, signatureRefused } from "./errors.ts";
import { componentId, findResource } from "./layers.ts";
import { imageOf, pinImage, pinResource } from "./pin.ts";
import { type KeyReference, type PolicyRule, ruleFor, type VerificationPolicy } from "./policy.ts";
import type { ComponentVersion } from "./pull.ts";
import { parsePublicKey, verifySignature } from "./signature.ts";
import type { Resource } from "./types.ts";

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
  /** Finds the signatures of images. */
  readonly client: CosignClient;
  readonly clock: { now(): number };
  /** A verdict is given again without looking for this time. Default 5 minutes; a refusal a tenth of it. */
  readonly recheckMs?: number;
}

interface Verdict {
  readonly result: Promise<ComponentVersion>;
  /** Moves nearer when the result is a refusal. */
  untilMs: number;
}

/**
 * Holds component versions against the policy. Whatever cannot be verified is refused.
 *
 * Verdicts are kept for a while, so that a pass over thousands of unchanged modules costs no request;
 * a key that is withdrawn takes effect after that time.
 */
export class Verifier {
  readonly #deps: VerifierDependencies;
  readonly #recheckMs: number;
  readonly #verdicts = new WeakMap<ComponentVersion, Map<string, Verdict>>();

  constructor(deps: VerifierDependencies) {
    this.#deps = deps;
    this.#recheckMs = deps.recheckMs ?? 300_000;
  }

  /**
   * Verifies a component version before any of its resources is used.
   *
   * @param resources - the names of those whose content will be used; a digest must fix each of them
   * @returns the component to go on with: accesses that could lead elsewhere carry the verified digest
   * @throws OCM_SIGNATURE_REFUSED, OCM_DIGEST_REFUSED, OCM_KEY_INVALID, OCM_RESOURCE_MISSING, OCI_SIGNATURE_INVALID
   */
  async verify(component: ComponentVersion, resources: readonly string[]): Promise<ComponentVersion> {
    const key = JSON.stringify(resources);
    const known = this.#verdicts.get(component) ?? new Map<string, Verdict>();
    this.#verdicts.set(component, known);
    const nowMs = this.#deps.clock.now();
    const kept = known.get(key);
    if (kept !== undefined && nowMs < kept.untilMs) return kept.result;
    const verdict: Verdict = { result: this.#judge(component, resources), untilMs: nowMs + this.#recheckMs };
    verdict.result.catch(() => {
      verdict.untilMs = nowMs + this.#recheckMs / 10;
    });
    known.set(key, verdict);
    return verdict.result;
  }

  async #judge(component: ComponentVersion, names: readonly string[]): Promise<ComponentVersion> {
    const { descriptor, repository } = component;
    const rule = ruleFor(this.#deps.policy.components, formatRepository(repository));
    const required = rule !== undefined && rule.require !== "none";
    if (required && rule.require === "signature") await this.#verifySigned(component, rule);
    const used = new Set(required ? names.map((name) => findResource(descriptor, name)) : []);
    const resources: Resource[] = [];
    for (const resource of descriptor.resources) {
      const pinned = used.has(resource) ? pinResource(descriptor, resource) : resource;
      resources.push(await this.#verifyImage(component, pinned));
    }
    return { ...component, descriptor: { ...descriptor, resources } };
  }

  async #verifySigned({ descriptor }: ComponentVersion, rule: PolicyRule): Promise<void> {
    const keys = await this.#keysOf(rule, descriptor.name);
    const refusals: unknown[] = [];
    for (const key of keys) {
      try {
        verifySignature(descriptor, rule.signature, key);
        return;
      } catch (error) {
        refusals.push(error);
      }
    }
    throw refusals[0];
  }

  async #verifyImage({ descriptor }: ComponentVersion, resource: Resource): Promise<Resource> {
    if (this.#deps.policy.images.length === 0) return resource;
    const image = imageOf(resource);
    const rule = image === undefined ? undefined : ruleFor(this.#deps.policy.images, formatRepository(image));
    if (image === undefined || rule === undefined || rule.require === "none") return resource;
    if (rule.require === "signature") {
      const keys = await this.#keysOf(rule, descriptor.name);
      return pinImage(resource, await verifyCosign(this.#deps.client, image, keys));
    }
    if (image.digest !== undefined) return resource;
    throw digestRefused(
      componentId(descriptor),
      resource.name,
      `the policy asks for a digest in ${formatReference(image)}`,
    );
  }

  /** At least one key; none at all is a refusal, as is one that cannot be read. */
  async #keysOf(rule: PolicyRule, component: string): Promise<readonly KeyObject[]> {
    const found: KeyObject[] = [];
    for (const reference of rule.keys) {
      if (reference.kind === "pem") {
        found.push(parsePublicKey(reference.pem, "in the verification policy"));
        continue;
      }
      const keys = await this.#deps.keys(reference, { signature: rule.signature, component });
      found.push(...keys.map(({ pem, source }) => parsePublicKey(pem, source)));
    }
    if (found.length > 0) return found;
    throw signatureRefused(component, rule.signature, "no public key was found for it");
  }
}
