import { hasCode } from "@kyma-operators/errors";
import { type AnyObject, builtIn, type Client, optional, type Resource } from "@kyma-operators/kube";
import {
  type CustomConfig,
  customConfigResource,
  fieldManager,
  infrastructureManager,
  labels,
  type RegistryCache,
  type Runtime,
} from "../../../apis/infrastructure/index.ts";
import type { LandscapeConfig } from "../shoot/index.ts";
import { planAdministrators } from "./administrators.ts";
import { planOidc } from "./oidc.ts";

const openIdConnects: Resource = {
  group: "authentication.gardener.cloud",
  version: "v1alpha1",
  kind: "OpenIDConnect",
  plural: "openidconnects",
  namespaced: false,
};
const { clusterRoleBindings, namespaces, secrets } = builtIn;

type StoredConfig = CustomConfig & AnyObject;

/** A cache, and the namespace in which its credentials are. */
export interface FoundCache {
  readonly cache: RegistryCache;
  readonly namespace: string;
}

/** What we configure on a runtime cluster: one list per kind, then only the writes that are needed. */
export class RuntimeCluster {
  readonly #client: Client;
  readonly #signal: AbortSignal;

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Sees that a namespace is there; what others did to it stays. */
  async ensureNamespace(name: string): Promise<void> {
    const options = { signal: this.#signal };
    if ((await optional(this.#client.get({ resource: namespaces, name }, options))) !== undefined) return;
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    try {
      await this.#client.create(namespaces, object, { fieldManager, ...options });
    } catch (error) {
      if (!hasCode(error, "KUBE_ALREADY_EXISTS")) throw error;
    }
  }

  /** @returns indexes of the entries that were left out because client or issuer is missing. */
  async configureOidc(runtime: Runtime, config: LandscapeConfig): Promise<readonly number[]> {
    const labelSelector = `${labels.managedBy}=${infrastructureManager}`;
    const { items } = await this.#client.list(openIdConnects, { labelSelector, signal: this.#signal });
    const plan = planOidc(runtime, config, items);
    const options = { fieldManager, signal: this.#signal };
    for (const object of plan.create) await this.#client.create(openIdConnects, object, options);
    for (const object of plan.update) await this.#client.update(openIdConnects, object, options);
    await this.#remove(openIdConnects, plan.remove);
    return plan.incomplete;
  }

  async configureAdministrators(administrators: readonly string[]): Promise<void> {
    const labelSelector = `${labels.bindingManagedBy}=${infrastructureManager}`;
    const { items } = await this.#client.list(clusterRoleBindings, { labelSelector, signal: this.#signal });
    const plan = planAdministrators(administrators, items);
    await this.#remove(clusterRoleBindings, plan.remove);
    for (const binding of plan.create) {
      await this.#client.create(clusterRoleBindings, binding, { fieldManager, signal: this.#signal });
    }
  }

  /** Caches that the users of the cluster ask for; none while the kind is not installed. */
  async registryCaches(): Promise<readonly FoundCache[]> {
    const list = await optional(this.#client.list<StoredConfig>(customConfigResource, { signal: this.#signal }));
    return (list?.items ?? []).flatMap(({ metadata: { namespace = "" }, spec }) =>
      (spec?.caches ?? []).map((cache) => ({ cache, namespace })),
    );
  }

  /** Content of a Secret, base64 as it is stored. */
  async secretData(namespace: string, name: string): Promise<Readonly<Record<string, string>>> {
    const ref = { resource: secrets, namespace, name };
    const secret = await this.#client.get<AnyObject & { data?: Record<string, string> }>(ref, { signal: this.#signal });
    return secret.data ?? {};
  }

  async #remove(resource: Resource, names: readonly string[]): Promise<void> {
    for (const name of names) await optional(this.#client.delete({ resource, name }, { signal: this.#signal }));
  }
}
