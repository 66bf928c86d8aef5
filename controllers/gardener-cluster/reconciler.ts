import { hasCode, textOf } from "@kyma-operators/errors";
import { type AnyObject, builtIn, type Client, type ObjectKey, optional } from "@kyma-operators/kube";
import { type Context, type Informer, keyText, type Outcome, patchStatus, refTo } from "@kyma-operators/runtime";
import {
  annotations,
  fieldManager,
  type GardenerCluster,
  type GardenerClusterReason,
  gardenerClusterResource,
  gardenerClusterReasons as reasons,
} from "../../apis/infrastructure/index.ts";
import { gardenErrors } from "./errors.ts";
import type { Grant, KubeconfigSource } from "./garden.ts";
import type { GardenerClusterMetrics } from "./metrics.ts";
import { dueAt, type RotationSettings } from "./rotation.ts";
import { buildSecret, type KubeconfigSecret, secretPatch, timesOf } from "./secret.ts";
import { saysReady, statusFor } from "./status.ts";

export const secretResource = builtIn.secrets;

/** Index of Secrets by the GardenerCluster they belong to. */
export const byCluster = "cluster";

export interface Dependencies {
  readonly client: Client;
  readonly clusters: Informer<GardenerCluster>;
  readonly secrets: Informer<KubeconfigSecret>;
  readonly source: KubeconfigSource;
  readonly rotation: RotationSettings;
  readonly metrics: GardenerClusterMetrics;
}

interface Pass {
  readonly cluster: GardenerCluster;
  readonly ctx: Context;
}

/** Keeps the kubeconfig Secret of every GardenerCluster fresh. */
export class GardenerClusterReconciler {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** One look at one cluster. Asks Gardener only when a kubeconfig is missing, due, or asked for. */
  async reconcile(key: ObjectKey, ctx: Context): Promise<Outcome> {
    const cluster = this.#deps.clusters.store.get(key);
    if (cluster === undefined) return this.#forget(key, ctx);
    if (cluster.metadata.deletionTimestamp !== undefined) return { kind: "done" };
    const pass = { cluster, ctx };
    const secret = this.#secretOf(cluster);
    const isForced = cluster.metadata.annotations?.[annotations.forceRotation] !== undefined;
    const due = isForced || secret === undefined ? ctx.now : this.#dueAt(cluster, secret);
    if (due > ctx.now) return this.#rest(pass, due);

    const grant = await this.#fetch(pass);
    if (grant === undefined) return { kind: "done" };
    await this.#write(pass, secret, grant);
    if (isForced) await this.#removeForce(pass);
    this.#deps.metrics.expiration(keyText(key), cluster, grant.expiresAt);
    const next = dueAt({ lastSync: ctx.now, expiresAt: grant.expiresAt, name: key.name }, this.#deps.rotation);
    return { kind: "wait", reason: "the next rotation", afterMs: next - ctx.now };
  }

  #secretOf({ spec }: GardenerCluster): KubeconfigSecret | undefined {
    const { name, namespace } = spec.kubeconfig.secret;
    return this.#deps.secrets.store.get({ namespace, name });
  }

  #dueAt({ metadata, spec }: GardenerCluster, secret: KubeconfigSecret): number {
    const { lastSync, expiresAt } = timesOf(secret);
    if (lastSync === undefined || !secret.data?.[spec.kubeconfig.secret.key]) return 0;
    const age = { lastSync, name: metadata.name ?? "", ...(expiresAt === undefined ? {} : { expiresAt }) };
    return dueAt(age, this.#deps.rotation);
  }

  async #rest({ cluster, ctx }: Pass, due: number): Promise<Outcome> {
    if (!saysReady(cluster)) await this.#report({ cluster, ctx }, { reason: reasons.created });
    const key = keyText({ namespace: cluster.metadata.namespace ?? "", name: cluster.metadata.name ?? "" });
    const { lastSync = 0, expiresAt } = timesOf(this.#secretOf(cluster) ?? cluster);
    this.#deps.metrics.expiration(key, cluster, expiresAt ?? lastSync + this.#deps.rotation.lifetimeMs);
    if (cluster.status !== undefined) this.#deps.metrics.state(key, cluster, cluster.status);
    return { kind: "wait", reason: "the next rotation", afterMs: due - ctx.now };
  }

  /** Undefined when there is no Shoot: nothing to wait for. */
  async #fetch({ cluster, ctx }: Pass): Promise<Grant | undefined> {
    const { source, rotation } = this.#deps;
    try {
      return await source.request(cluster.spec.shoot.name, rotation.lifetimeMs, ctx.signal);
    } catch (error) {
      await this.#report({ cluster, ctx }, { reason: reasons.fetchFailed, cause: textOf(error) });
      if (hasCode(error, "KUBE_NOT_FOUND")) return undefined;
      throw error;
    }
  }

  /** Writes kubeconfig and times in one request, so that a failure leaves the old ones in place. */
  async #write({ cluster, ctx }: Pass, secret: KubeconfigSecret | undefined, grant: Grant): Promise<void> {
    const { client } = this.#deps;
    const options = { fieldManager, signal: ctx.signal };
    const reason = secret === undefined ? reasons.created : reasons.rotated;
    try {
      if (secret === undefined) {
        await client.create(secretResource, buildSecret(cluster, grant, ctx.now), options);
      } else {
        await client.mergePatch(refTo(secretResource, secret), secretPatch(cluster, grant, ctx.now), options);
      }
    } catch (error) {
      if (hasCode(error, "KUBE_ALREADY_EXISTS")) return this.#adopt({ cluster, ctx }, grant);
      const failed = secret === undefined ? reasons.createFailed : reasons.updateFailed;
      await this.#report({ cluster, ctx }, { reason: failed, cause: textOf(error) });
      throw error;
    }
    await this.#report({ cluster, ctx }, { reason });
  }

  /** A Secret of that name without our labels, for example restored from a backup: it is ours by its name. */
  async #adopt({ cluster, ctx }: Pass, grant: Grant): Promise<void> {
    const { name, namespace } = cluster.spec.kubeconfig.secret;
    const ref = { resource: secretResource, namespace, name };
    const patch = secretPatch(cluster, grant, ctx.now);
    await this.#deps.client.mergePatch(ref, patch, { fieldManager, signal: ctx.signal });
    await this.#report({ cluster, ctx }, { reason: reasons.rotated });
  }

  async #removeForce({ cluster, ctx }: Pass): Promise<void> {
    const patch = { metadata: { annotations: { [annotations.forceRotation]: null } } };
    const options = { fieldManager, signal: ctx.signal };
    await optional(this.#deps.client.mergePatch(refTo(gardenerClusterResource, cluster), patch, options));
  }

  async #report(
    { cluster, ctx }: Pass,
    outcome: { readonly reason: GardenerClusterReason; readonly cause?: string },
  ): Promise<void> {
    const status = statusFor(cluster, outcome, ctx.now);
    const { namespace = "", name = "" } = cluster.metadata;
    this.#deps.metrics.state(keyText({ namespace, name }), cluster, status);
    const change = { observed: cluster as GardenerCluster & AnyObject, status };
    const options = { fieldManager, signal: ctx.signal };
    await optional(patchStatus(this.#deps.client, gardenerClusterResource, change, options));
  }

  /** A GardenerCluster that is gone takes its Secret along. */
  async #forget(key: ObjectKey, { signal }: Context): Promise<Outcome> {
    this.#deps.metrics.forget(keyText(key));
    const secrets = this.#deps.secrets.store
      .byIndex(byCluster, key.name)
      .filter(({ metadata }) => metadata.namespace === key.namespace);
    if (secrets.length > 1) {
      const names = secrets.map(({ metadata }) => metadata.name ?? "").join(", ");
      throw gardenErrors.SECRETS_AMBIGUOUS({ cluster: key.name, secrets: names });
    }
    for (const secret of secrets) await optional(this.#deps.client.delete(refTo(secretResource, secret), { signal }));
    return { kind: "done" };
  }
}
