import type { ObjectKey } from "@kyma-operators/kube";
import { type Context, hasFinalizer, keyText, type Outcome } from "@kyma-operators/runtime";
import { labels, type Runtime, runtimeFinalizer } from "../../apis/infrastructure/index.ts";
import {
  awaitKubeconfig,
  configureAdministrators,
  configureOidc,
  createNamespace,
  letSleep,
  refuseSharedId,
} from "./phases/cluster.ts";
import { announce, auditLogFailure, buildShoot, conversionFailure, createShoot } from "./phases/create.ts";
import { followOperation } from "./phases/operation.ts";
import { patchShoot } from "./phases/patch.ts";
import { release, removeKubeconfig, removeShoot } from "./phases/teardown.ts";
import { auditLogOf, type Dependencies, end, next, type Phase, type Scope, type Step, scopeOf } from "./scope.ts";
import type { AuditLogTenant } from "./shoot/index.ts";
import { changedConditions, type Report, StatusDraft } from "./status.ts";

const rollout: readonly Phase[] = [
  announce,
  refuseSharedId,
  createShoot,
  patchShoot,
  followOperation,
  awaitKubeconfig,
  letSleep,
  configureOidc,
  createNamespace,
  configureAdministrators,
];

const teardown: readonly Phase[] = [removeKubeconfig, removeShoot, release];

/** Turns Runtimes into Gardener Shoots and configures the clusters that come of it. */
export class RuntimeReconciler {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Brings one Runtime closer to its spec. May stop at any await and be run again. */
  async reconcile(key: ObjectKey, ctx: Context): Promise<Outcome> {
    const { controlPlane, garden, metrics } = this.#deps;
    const runtime = controlPlane.runtime(key);
    if (runtime === undefined) {
      metrics.forget(keyText(key));
      return { kind: "done" };
    }
    if (!garden.isKnown) return { kind: "wait", reason: "the Shoots are not known yet", afterMs: 1_000 };
    if (this.#isLedByOther(runtime)) return this.#dryRun(runtime, ctx);
    if (runtime.metadata.deletionTimestamp === undefined) {
      if (await controlPlane.ensureFinalizer(runtime, ctx.signal)) return { kind: "done" }; // our own write wakes us
      return this.#run(rollout, runtime, ctx);
    }
    if (hasFinalizer(runtime, runtimeFinalizer)) return this.#run(teardown, runtime, ctx);
    metrics.stopped();
    return { kind: "done" };
  }

  async #run(phases: readonly Phase[], runtime: Runtime, ctx: Context): Promise<Outcome> {
    const draft = new StatusDraft(runtime, ctx.now);
    const scope = scopeOf(runtime, this.#deps, draft, ctx);
    let step: Step = end;
    try {
      step = await runPhases(phases, scope);
    } finally {
      // Also after a failure: the status says what the queue's back-off does not show.
      await this.#record(scope);
    }
    return this.#outcomeOf(step, draft);
  }

  async #record({ runtime, draft, signal, isForceDone }: Scope): Promise<void> {
    const { controlPlane, events, metrics } = this.#deps;
    const { namespace = "", name = "" } = runtime.metadata;
    await controlPlane.writeStatus(runtime, draft.value, signal);
    // The annotation goes last: a crash before it repeats the patch, one after it would forget half of it.
    if (isForceDone) await controlPlane.removeForce(runtime, signal);
    metrics.show(keyText({ namespace, name }), runtime, draft.value);
    for (const { status, reason, message } of changedConditions(runtime.status, draft.value)) {
      const type = status === "False" ? "Warning" : "Normal";
      events.event(runtime, { type, reason, note: `${message}: ${namespace}/${name}` });
    }
  }

  #outcomeOf(step: Step, draft: StatusDraft): Outcome {
    const { resyncMs } = this.#deps.settings;
    const wanted = step.kind === "end" ? step.afterMs : undefined;
    if (wanted === undefined && draft.value.state === "Ready") return { kind: "done" };
    const afterMs = Math.min(wanted ?? resyncMs, resyncMs);
    return { kind: "wait", reason: wanted === 0 ? "the next step" : "a change of the Shoot", afterMs };
  }

  /** While the Provisioner leads, a Runtime is only tried out. */
  #isLedByOther({ metadata }: Runtime): boolean {
    const leader = metadata.labels?.[labels.controlledByProvisioner];
    return this.#deps.settings.controlledByProvisionerCheck && leader !== "false";
  }

  async #dryRun(runtime: Runtime, ctx: Context): Promise<Outcome> {
    if (runtime.metadata.deletionTimestamp !== undefined) {
      await this.#deps.controlPlane.release(runtime, ctx.signal);
      return { kind: "done" };
    }
    const scope = scopeOf(runtime, this.#deps, new StatusDraft(runtime, ctx.now), ctx);
    scope.draft.triedOut(tryConversion(scope));
    await this.#record(scope);
    return { kind: "done" };
  }
}

function tryConversion(scope: Scope): Report {
  const type = "ProvisionedDryRun";
  let auditLog: AuditLogTenant | undefined;
  try {
    auditLog = auditLogOf(scope);
  } catch (error) {
    return { ...auditLogFailure(error), type, status: "False" };
  }
  try {
    buildShoot(scope, auditLog);
  } catch (error) {
    return { ...conversionFailure(error), type, status: "False" };
  }
  const message = "Runtime processing completed successfully";
  return { type, status: "True", reason: "ConfigurationCompleted", message };
}

async function runPhases(phases: readonly Phase[], scope: Scope): Promise<Step> {
  for (const phase of phases) {
    const step = await phase(scope);
    if (step.kind !== "next") return step;
  }
  return next;
}
