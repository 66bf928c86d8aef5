import { gardenerAnnotations, type Shoot } from "@kyma-operators/gardener";
import { timeText } from "@kyma-operators/kube";
import { judgeOperation, type Verdict } from "../operation.ts";
import { end, next, type Scope, type Step } from "../scope.ts";

/** Annotation of ours on a Shoot: how often Gardener was asked to try the running operation again. */
const retriesMark = "infrastructuremanager.kyma-project.io/operation-retries";

/** Follows what Gardener does with the Shoot, and goes on when it is done. */
export async function followOperation(scope: Scope): Promise<Step> {
  const { shoot, deps, draft, now } = scope;
  if (shoot === undefined) return end;
  draft.showErrors(shoot.status?.lastErrors ?? []);
  const startedAt = Date.parse(draft.value.operationStartedAt ?? "") || now;
  const attempt = { startedAt, retries: retriesOf(shoot, startedAt) };
  const verdict = judgeOperation({ shoot, now, timeouts: deps.settings.timeouts, ...attempt });
  if (verdict.kind === "foreign") return end;
  if (verdict.kind === "pending") return pending(scope, shoot, { verdict, ...attempt });
  return verdict.kind === "failed" ? failed(scope, shoot, verdict) : succeeded(scope, verdict.type);
}

interface Attempt<V> {
  readonly verdict: V;
  readonly startedAt: number;
  readonly retries: number;
}

type Pending = Extract<Verdict, { kind: "pending" }>;
type Failed = Extract<Verdict, { kind: "failed" }>;

async function pending(scope: Scope, shoot: Shoot, { verdict, startedAt, retries }: Attempt<Pending>): Promise<Step> {
  const { draft, deps, now, signal } = scope;
  draft.operationBegan();
  draft.pending({ type: "Provisioned", status: "Unknown", reason: verdict.reason, message: verdict.message });
  const isAsked = shoot.metadata.annotations?.[gardenerAnnotations.operation] !== undefined;
  if (verdict.retry && !isAsked) {
    // Both in one patch: a crash in between would forget that this attempt was counted.
    const marks = { [gardenerAnnotations.operation]: "retry", [retriesMark]: `${timeText(startedAt)}/${retries + 1}` };
    await deps.garden.annotate(shoot.metadata.name ?? "", marks, signal);
  }
  return { kind: "end", afterMs: Math.max(1_000, verdict.lookAt - now) };
}

/** Retries count for one operation: those of an earlier one are forgotten. */
function retriesOf({ metadata }: Shoot, startedAt: number): number {
  const [begin, count = "0"] = (metadata.annotations?.[retriesMark] ?? "").split("/");
  return begin === timeText(startedAt) ? Number(count) : 0;
}

function failed({ draft, deps, runtime, now }: Scope, shoot: Shoot, { reason, message, isFinal }: Failed): Step {
  const isNews = !draft.has({ type: "Provisioned", status: "False", reason });
  draft.pending({ type: "Provisioned", status: "False", reason, message });
  if (isNews) {
    deps.metrics.stopped();
    deps.metrics.lastErrors(shoot);
    explain({ deps, runtime }, shoot);
  }
  // What may recover keeps its begin, so that it stays too late however often it is looked at.
  if (isFinal) {
    const began = draft.operationEnded();
    const name = reason === "CreationErr" ? "create" : "update";
    if (began !== undefined) deps.metrics.operation(name, runtime, { result: "failed", durationMs: now - began });
  } else draft.operationBegan();
  return end;
}

/** The provider's own words, which conditions keep out of their fixed texts. */
function explain({ deps, runtime }: Pick<Scope, "deps" | "runtime">, { status }: Shoot): void {
  for (const { description, codes = [] } of status?.lastErrors ?? []) {
    const note = codes.length === 0 ? description : `${description} (${codes.join(", ")})`;
    deps.events.event(runtime, { type: "Warning", reason: "GardenerErr", note });
  }
}

function succeeded({ draft, deps, runtime, now }: Scope, type: "Create" | "Reconcile"): Step {
  const began = draft.operationEnded();
  const name = type === "Create" ? "create" : "update";
  if (began !== undefined) deps.metrics.operation(name, runtime, { result: "succeeded", durationMs: now - began });
  // "Patched without changes" says more than that the last operation went well.
  if (draft.has({ type: "Provisioned", status: "True", reason: "Processing" })) return next;
  const report =
    type === "Create"
      ? ({ reason: "ShootCreationCompleted", message: "Shoot creation completed" } as const)
      : ({ reason: "ConfigurationCompleted", message: "Runtime processing completed successfully" } as const);
  if (draft.has({ type: "Provisioned", status: "True", reason: report.reason })) return next;
  draft.pending({ type: "Provisioned", status: "True", ...report });
  return next;
}
