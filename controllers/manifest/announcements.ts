import type { EventRecorder } from "@kyma-operators/runtime";
import { inventoryOf } from "./inventory/inventory.ts";
import type { Pass } from "./pass.ts";
import { sharingIn, sharingReason } from "./sharing/sharing.ts";

/** Event reasons of failures, by the phase that failed; upstream's where it has one. */
const failureReasons: Readonly<Record<string, string>> = {
  manifest_orphaned: "Orphaned",
  manifest_client_init: "ClientInitialization",
  manifest_parse_spec: "Spec",
  manifest_sync_resources: "ServerSideApply",
  manifest_prune_diff: "Deletion",
  manifest_pre_delete: "PreDelete",
  manifest_render_resources: "PreDelete",
  manifest_sync_state: "ReadyCheck",
  manifest_hook: "Hook",
  manifest_migration: "Migration",
};

/** What a pass ended with, as far as people care. */
export interface PassEnd {
  readonly failure?: { readonly reason: string; readonly unauthorized: boolean };
  /** The last finalizer of ours is gone. */
  readonly released: boolean;
}

/**
 * Tells of what happened to a module: an event and a log line for every transition, nothing for a pass that changed
 * nothing.
 */
export function announce(events: EventRecorder, pass: Pass, end: PassEnd): void {
  for (const { type, reason, note } of newsOf(pass, end)) {
    events.event(pass.manifest, { type, reason, note, action: reason });
    pass.ctx.log[type === "Warning" ? "warn" : "info"]({ reason }, note);
  }
}

interface News {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly note: string;
}

function newsOf(pass: Pass, end: PassEnd): readonly News[] {
  return [
    ...installationNews(pass),
    ...repairNews(pass),
    ...sharingNews(pass),
    ...deletionNews(pass, end),
    ...stateNews(pass, end),
  ];
}

function installationNews({ observed, status, tally, sourceRef }: Pass): readonly News[] {
  const [before, after] = [inventoryOf(observed.status ?? { state: "" }), inventoryOf(status)];
  if (after.source === undefined || after.source === before.source || after.fingerprint === before.fingerprint)
    return [];
  const reason = before.source === undefined ? "Installed" : "Upgraded";
  const pruned = tally.pruned > 0 ? `, ${tally.pruned} deleted` : "";
  return [{ type: "Normal", reason, note: `${sourceRef}: ${tally.applied} objects applied${pruned}` }];
}

function repairNews({ tally: { repaired } }: Pass): readonly News[] {
  const [first] = repaired;
  if (first === undefined) return [];
  const rest = repaired.length > 1 ? ` and ${repaired.length - 1} more` : "";
  return [{ type: "Warning", reason: "Drift", note: `${first}${rest} had been changed by somebody else` }];
}

function sharingNews({ observed, status }: Pass): readonly News[] {
  const report = sharingIn(status);
  if (report === undefined || sharingIn(observed.status) !== undefined) return [];
  return [{ type: "Warning", reason: sharingReason, note: report.message }];
}

function deletionNews({ observed, tally }: Pass, { released }: PassEnd): readonly News[] {
  if (observed.metadata.deletionTimestamp === undefined || !released) return [];
  return [
    {
      type: "Normal",
      reason: "Deletion",
      note: `the module is removed, ${tally.pruned} objects deleted in the last step`,
    },
  ];
}

function stateNews(pass: Pass, { failure, released }: PassEnd): readonly News[] {
  const { state, lastOperation } = pass.status;
  const note = lastOperation?.operation ?? "";
  if (released || !isTransition(pass)) return [];
  if (failure !== undefined) return [{ type: "Warning", reason: reasonOf(failure), note }];
  if (state === "Warning") return [{ type: "Warning", reason: "Warning", note }];
  return hasRecovered(pass) ? [{ type: "Normal", reason: "Ready", note }] : [];
}

/** A first Ready is the end of an installation, which has its own event. */
function hasRecovered({ observed, status }: Pass): boolean {
  return status.state === "Ready" && ["Error", "Warning"].includes(observed.status?.state ?? "");
}

function isTransition({ observed: { status: before }, status: after }: Pass): boolean {
  return before?.state !== after.state || before.lastOperation?.operation !== after.lastOperation?.operation;
}

function reasonOf({ reason, unauthorized }: NonNullable<PassEnd["failure"]>): string {
  return unauthorized ? "Unauthorized" : (failureReasons[reason] ?? "Reconciliation");
}
