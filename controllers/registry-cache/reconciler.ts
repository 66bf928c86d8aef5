import { textOf } from "@kyma-operators/errors";
import type { Shoot } from "@kyma-operators/gardener";
import { type AnyObject, type Client, type KubeObject, type ObjectKey, optional } from "@kyma-operators/kube";
import { type Context, type Informer, type Outcome, refTo } from "@kyma-operators/runtime";
import {
  type CustomConfig,
  customConfigResource,
  labels,
  type Runtime,
  runtimeResource,
} from "../../apis/infrastructure/index.ts";

/** A kubeconfig Secret as the informer holds it. */
export interface KubeconfigSecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Opens and keeps clients of runtime clusters. */
export interface RemoteClients {
  open(key: string, revision: string, kubeconfig: () => string): Client | Promise<Client>;
}

export interface Dependencies {
  readonly client: Client;
  readonly runtimes: Informer<Runtime>;
  readonly secrets: Informer<KubeconfigSecret>;
  readonly shoots: Informer<Shoot & AnyObject>;
  /** Namespace of the Gardener project. */
  readonly project: string;
  readonly remote: RemoteClients;
  /** Time between two looks at a cluster, in milliseconds. */
  readonly intervalMs: number;
}

const fieldManager = "customconfigcontroller";

/** Index of Runtimes by their id. */
export const byRuntimeId = "runtimeId";

/**
 * Tells Runtimes whether the users of their cluster ask for an image registry cache.
 *
 * Only whether, as the original does: what changes among the caches reaches the Shoot with its next patch.
 */
export class RegistryCacheReconciler {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** @param key - of the kubeconfig Secret. */
  async reconcile(key: ObjectKey, ctx: Context): Promise<Outcome> {
    const secret = this.#deps.secrets.store.get(key);
    const runtime = secret && this.#runtimeOf(secret);
    if (secret === undefined || runtime === undefined) return { kind: "done" };
    const again: Outcome = { kind: "wait", reason: "the next look", afterMs: this.#deps.intervalMs };
    if (!this.#deps.shoots.synced) return { kind: "wait", reason: "the Shoots are not known yet", afterMs: 1_000 };
    if (this.#isAsleep(runtime)) return again;
    let wanted: boolean;
    try {
      wanted = await this.#wantsCache(secret, ctx.signal);
    } catch (error) {
      // A cluster that does not answer for a moment is no failure of ours; the next look tells more.
      ctx.log.debug({ error: textOf(error) }, "the cluster can't be asked for registry caches");
      return again;
    }
    if (wanted !== (runtime.spec.imageRegistryCache?.enabled ?? false)) {
      const patch = { spec: { imageRegistryCache: { enabled: wanted } } };
      const options = { fieldManager, signal: ctx.signal };
      await optional(this.#deps.client.mergePatch(refTo(runtimeResource, runtime), patch, options));
    }
    return again;
  }

  #runtimeOf({ metadata }: KubeconfigSecret): Runtime | undefined {
    const id = metadata.labels?.[labels.runtimeId];
    return id === undefined ? undefined : this.#deps.runtimes.store.byIndex(byRuntimeId, id)[0];
  }

  /** Hibernated clusters have no API server; those of a Runtime on its way out have nothing to say any more. */
  #isAsleep({ metadata, spec }: Runtime): boolean {
    const { shoots, project } = this.#deps;
    const shoot = shoots.store.get({ namespace: project, name: spec.shoot.name });
    return shoot?.status?.hibernated === true || metadata.deletionTimestamp !== undefined;
  }

  async #wantsCache({ metadata, data }: KubeconfigSecret, signal: AbortSignal): Promise<boolean> {
    const kubeconfig = (): string => Buffer.from(data?.["config"] ?? "", "base64").toString("utf8");
    const key = `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
    const revision = `${metadata.uid ?? ""}/${metadata.resourceVersion ?? ""}`;
    const client = await this.#deps.remote.open(key, revision, kubeconfig);
    const list = await optional(client.list<CustomConfig & AnyObject>(customConfigResource, { signal }));
    return (list?.items ?? []).some(({ spec }) => (spec?.caches ?? []).length > 0);
  }
}
