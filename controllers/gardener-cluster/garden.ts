import { Secret } from "@kyma-operators/errors";
import { projectNamespace, shootResource } from "@kyma-operators/gardener";
import type { Client } from "@kyma-operators/kube";
import { gardenErrors } from "./errors.ts";

/** A kubeconfig as Gardener granted it. */
export interface Grant {
  readonly kubeconfig: Secret;
  /** Milliseconds since the epoch; the server may shorten what was asked for. */
  readonly expiresAt: number;
}

interface Answer {
  readonly status?: { readonly kubeconfig?: string; readonly expirationTimestamp?: string };
}

/** Asks Gardener for kubeconfigs. */
export class KubeconfigSource {
  readonly #client: Client;
  readonly #namespace: string;

  constructor(client: Client, projectName: string) {
    this.#client = client;
    this.#namespace = projectNamespace(projectName);
  }

  /** Throws what the request throws, and `GARDEN_NO_KUBECONFIG` for an answer without one. */
  async request(shoot: string, lifetimeMs: number, signal: AbortSignal): Promise<Grant> {
    const ref = { resource: shootResource, namespace: this.#namespace, name: shoot };
    const body = {
      apiVersion: "authentication.gardener.cloud/v1alpha1",
      kind: "AdminKubeconfigRequest",
      spec: { expirationSeconds: Math.floor(lifetimeMs / 1000) },
    };
    const { status } = await this.#client.createSubresource<Answer>(ref, "adminkubeconfig", body, { signal });
    const expiresAt = Date.parse(status?.expirationTimestamp ?? "");
    if (!status?.kubeconfig || Number.isNaN(expiresAt)) throw gardenErrors.NO_KUBECONFIG({ shoot });
    return { kubeconfig: new Secret(status.kubeconfig), expiresAt };
  }
}
