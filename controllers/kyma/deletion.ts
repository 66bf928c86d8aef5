import { textOf } from "@kyma-operators/errors";
import type { ObjectKey } from "@kyma-operators/kube";
import type { Context, Outcome } from "@kyma-operators/runtime";
import { finalizers } from "../../apis/operator/finalizers.ts";
import { crdName, kymas as kymaKind, moduleReleaseMetas, moduleTemplates } from "../../apis/operator/group.ts";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { labels } from "../../apis/operator/labels.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import { writeManifests } from "../../modules/write-manifests.ts";
import type { Dependencies } from "./dependencies.ts";
import { kymaErrors } from "./errors.ts";
import type { RequeueReason } from "./metrics.ts";
import type { RemoteCluster } from "./options.ts";
import { needsNewClient } from "./remote/access-secrets.ts";
import { deleteCrd } from "./remote/crds.ts";
import * as remoteKymas from "./remote/kymas.ts";
import { deletingStatus } from "./summary.ts";

const waitingForModules = "waiting for modules to be deleted";
const done: Outcome = { kind: "done" };

/** One deletion that is under way. */
interface Deletion {
  readonly kyma: Kyma;
  readonly ctx: Context;
  /** Absent: the cluster is gone, and with it everything on it. */
  readonly cluster: RemoteCluster | undefined;
}

/** `nothing` says that the step had nothing to do; `waiting` that what it waits for is still there. */
type StepResult = "nothing" | "done" | "waiting";

interface DeletionStep {
  /** Also the reason of its event. */
  readonly name: string;
  readonly reason?: RequeueReason;
  readonly run: (deletion: Deletion) => Promise<StepResult>;
}

/** Takes a Kyma down in a fixed order, each step as often as needed and from wherever a former pass stopped. */
export class KymaDeletion {
  readonly #deps: Dependencies;
  /** Kymas whose remote cluster has been cleaned by this process; only saves requests. */
  readonly #cleaned = new Set<string>();
  /** Kymas that wait for their Manifests; said once. */
  readonly #waiting = new Set<string>();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  readonly #steps: readonly DeletionStep[] = [
    {
      name: "SetKcpKymaStateDeleting",
      reason: "kyma_status_update_to_deleting",
      run: async (deletion) => this.#showDeleting(deletion),
    },
    {
      name: "SetSkrKymaStateDeleting",
      reason: "status_sync_to_remote",
      run: async (deletion) => this.#onRemote(deletion, async (cluster) => this.#showDeletingThere(deletion, cluster)),
    },
    {
      name: "DeleteManifests",
      reason: "manifest_crs_cleanup",
      run: async (deletion) => this.#deleteManifests(deletion),
    },
    { name: "DeleteCertificateSetup", run: async (deletion) => this.#deleteCertificate(deletion) },
    {
      name: "DeleteSkrWebhookResources",
      run: async (deletion) =>
        this.#onRemote(deletion, async (cluster) =>
          (await this.#deps.webhook?.remove(cluster, deletion.ctx.signal)) ? "done" : "nothing",
        ),
    },
    this.#crdStep("DeleteSkrModuleTemplateCrd", crdName(moduleTemplates), "remote_module_catalog_deletion"),
    this.#crdStep("DeleteSkrModuleReleaseMetaCrd", crdName(moduleReleaseMetas), "remote_module_catalog_deletion"),
    {
      name: "DeleteSkrKyma",
      reason: "remote_kyma_deletion",
      run: async (deletion) => this.#onRemote(deletion, async (cluster) => this.#deleteRemoteKyma(deletion, cluster)),
    },
    this.#crdStep("DeleteSkrKymaCrd", crdName(kymaKind)),
    {
      name: "DeleteMetrics",
      run: async ({ kyma }) => (this.#deps.metrics.remove(nameOf(kyma)) ? "done" : "nothing"),
    },
    {
      name: "EnsureManifestDeletion",
      reason: "manifest_crs_cleanup",
      run: async (deletion) => this.#awaitManifests(deletion),
    },
    { name: "DropKymaFinalizer", run: async (deletion) => this.#dropFinalizer(deletion) },
  ];

  async reconcile(kyma: Kyma, ctx: Context): Promise<Outcome> {
    const present = kyma.metadata.finalizers ?? [];
    const ours = [finalizers.kyma, finalizers.purge].some((finalizer) => present.includes(finalizer));
    if (!ours) return this.#stuck(kyma);
    const deletion = { kyma, ctx, cluster: await this.#clusterOf(kyma, ctx) };
    for (const step of this.#steps) {
      const result = await this.#attempt(step, deletion);
      if (result === "waiting") {
        return { kind: "wait", reason: step.name, afterMs: this.#deps.settings.intervals.busyMs };
      }
    }
    return done;
  }

  /** Clears what is kept outside the object for a Kyma that is no longer there. */
  async forget({ name }: ObjectKey, ctx: Context): Promise<Outcome> {
    const { metrics, views, announcer, webhook } = this.#deps;
    metrics.remove(name);
    views.drop(name);
    announcer.forget(name);
    this.#cleaned.delete(name);
    this.#waiting.delete(name);
    if (await webhook?.hasCertificate(name, ctx.signal)) await webhook?.deleteCertificate(name, ctx.signal);
    return done;
  }

  async #attempt({ name, reason, run }: DeletionStep, deletion: Deletion): Promise<StepResult> {
    const { announcer, metrics, access } = this.#deps;
    try {
      const result = await run(deletion);
      if (result === "nothing") return result;
      if (result === "done" || !this.#waiting.has(nameOf(deletion.kyma)))
        announcer.normal(deletion.kyma, name, "Success");
      if (result === "waiting") this.#waiting.add(nameOf(deletion.kyma));
      if (reason !== undefined) metrics.requeue(reason, "intended");
      deletion.ctx.log.info({ step: name, result }, "deletion step");
      return result;
    } catch (error) {
      announcer.warning(deletion.kyma, name, error);
      if (reason !== undefined) metrics.requeue(reason, "unexpected");
      if (needsNewClient(error)) access.evict(deletion.kyma);
      throw error;
    }
  }

  /** Nobody's cluster is not an error here: a runtime may go before its Kyma. */
  async #clusterOf(kyma: Kyma, ctx: Context): Promise<RemoteCluster | undefined> {
    const { access, metrics } = this.#deps;
    if (!(await access.isGone(kyma, ctx.signal))) return access.connect(kyma);
    metrics.requeue("kyma_under_deletion_with_no_access_secret", "intended");
    return undefined;
  }

  async #onRemote(
    { kyma, cluster }: Deletion,
    step: (cluster: RemoteCluster) => Promise<StepResult>,
  ): Promise<StepResult> {
    return cluster === undefined || this.#cleaned.has(nameOf(kyma)) ? "nothing" : step(cluster);
  }

  async #showDeleting({ kyma, ctx }: Deletion): Promise<StepResult> {
    if (kyma.status?.state === "Deleting") return "nothing";
    const { kymas, features, metrics } = this.#deps;
    const status = deletingStatus(kyma, features, waitingForModules, ctx.now);
    await kymas.writeStatus(kyma, status, ctx.signal);
    metrics.requeue("kyma_deletion", "intended");
    return "done";
  }

  async #showDeletingThere({ ctx }: Deletion, cluster: RemoteCluster): Promise<StepResult> {
    const call = { signal: ctx.signal };
    const remote = await remoteKymas.lookup(cluster, this.#deps.settings.syncNamespace, call);
    if (remote === undefined || remote.status?.state === "Deleting") return "nothing";
    const lastOperation = { operation: ".status.State set to Deleting" };
    const status = { ...remote.status, state: "Deleting" as const, lastOperation };
    await remoteKymas.writeStatus(cluster, remoteKymas.seenOf(remote), status, call);
    return "done";
  }

  async #deleteManifests({ kyma, ctx }: Deletion): Promise<StepResult> {
    const { manifests, client } = this.#deps;
    const present = manifests.of(kyma).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const writes = present.map((manifest) => ({ verb: "delete" as const, manifest }));
    const [failure] = await writeManifests(client, writes, ctx.signal);
    if (failure !== undefined) throw failure.error;
    return writes.length === 0 ? "nothing" : "done";
  }

  async #deleteCertificate({ kyma, ctx }: Deletion): Promise<StepResult> {
    const { webhook } = this.#deps;
    if (webhook === undefined || !(await webhook.hasCertificate(nameOf(kyma), ctx.signal))) return "nothing";
    await webhook.deleteCertificate(nameOf(kyma), ctx.signal);
    return "done";
  }

  #crdStep(name: string, crd: string, reason?: RequeueReason): DeletionStep {
    return {
      name,
      ...(reason === undefined ? {} : { reason }),
      run: async (deletion) =>
        this.#onRemote(deletion, async (cluster) =>
          (await deleteCrd(cluster, crd, this.#deps.crds(crd), deletion.ctx.signal)) ? "done" : "nothing",
        ),
    };
  }

  async #deleteRemoteKyma({ kyma, ctx }: Deletion, cluster: RemoteCluster): Promise<StepResult> {
    const { found, finalizers: foreign } = await remoteKymas.remove(cluster, this.#deps.settings.syncNamespace, {
      signal: ctx.signal,
    });
    if (foreign.length > 0) {
      // Not ours to remove, and no reason to keep the Kyma here: the cluster goes its own way from now on.
      this.#deps.announcer.warning(kyma, "DeleteSkrKyma", `remote Kyma stays for finalizers ${foreign.join(", ")}`);
    }
    return found ? "done" : "nothing";
  }

  async #awaitManifests({ kyma, ctx, cluster }: Deletion): Promise<StepResult> {
    if (cluster !== undefined) this.#cleaned.add(nameOf(kyma));
    const [first, ...others] = this.#deps.manifests.of(kyma);
    if (first === undefined) return "nothing";
    const { kymas, features } = this.#deps;
    const text = `${waitingForModules}: ${blockerText(first)}${others.length === 0 ? "" : ` and ${others.length} more`}`;
    await kymas.writeStatus(kyma, deletingStatus(kyma, features, text, ctx.now), ctx.signal);
    return "waiting";
  }

  async #dropFinalizer({ kyma, ctx }: Deletion): Promise<StepResult> {
    const { announcer, kymas } = this.#deps;
    await announcer.tellFailure(kyma, "UpdateSpecError", kymas.release(kyma, ctx.signal));
    this.#cleaned.delete(nameOf(kyma));
    this.#deps.views.drop(nameOf(kyma));
    this.#deps.access.evict(kyma);
    return "done";
  }

  /** Others keep the Kyma; they will let it go, and we have nothing left to do. */
  #stuck(kyma: Kyma): Outcome {
    const foreign = (kyma.metadata.finalizers ?? []).join(", ");
    const error = kymaErrors.DELETION_STUCK({ kyma: nameOf(kyma), foreign });
    this.#deps.announcer.warning(kyma, "KymaDeletionStuck", textOf(error));
    return done;
  }
}

function blockerText({ metadata, status }: Manifest): string {
  const module = metadata.labels?.[labels.moduleName] ?? metadata.name ?? "";
  const operation = status?.lastOperation?.operation ?? "";
  return operation === "" ? module : `${module} (${operation})`;
}

function nameOf({ metadata }: Kyma): string {
  return metadata.name ?? "";
}
