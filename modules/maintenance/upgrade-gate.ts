import { textOf } from "@kyma-operators/errors";
import type { Kyma, ModuleStatus } from "../../apis/operator/kyma.ts";
import { labels } from "../../apis/operator/labels.ts";
import type { ModuleTemplate } from "../../apis/operator/module-template.ts";
import { type ModuleProblem, problemOf } from "../problems.ts";
import type { Policy } from "./policy.ts";
import { findWindow, isActive, type OpenWindow, type RuntimeAttributes } from "./window.ts";

export interface WindowSettings {
  /** Absent: no policy file was given, or it could not be used. */
  readonly policy?: Policy;
  /** An open window must last at least this long from now. */
  readonly minWindowMs: number;
}

/** What the windows of a Kyma say at one moment. */
export type WindowState =
  | { readonly kind: "open"; readonly window: OpenWindow }
  | { readonly kind: "closed"; readonly next: OpenWindow }
  | { readonly kind: "unknown"; readonly reason: string };

/** The attributes of a runtime that policies look at. */
export function runtimeAttributes(kyma: Kyma): RuntimeAttributes {
  const own = kyma.metadata.labels ?? {};
  return {
    globalAccountID: own[labels.globalAccountId] ?? "",
    plan: own[labels.brokerPlanName] ?? "",
    region: own[labels.region] ?? "",
    platformRegion: own[labels.platformRegion] ?? "",
  };
}

/** Is the maintenance window of this Kyma open, and if not, when is the next? */
export function windowState(kyma: Kyma, nowMs: number, { policy, minWindowMs }: WindowSettings): WindowState {
  if (policy === undefined) return { kind: "unknown", reason: "no maintenance window policy configured" };
  try {
    const window = findWindow(policy, runtimeAttributes(kyma), nowMs, [{ ongoing: true }, { minWindowMs }]);
    return isActive(window, nowMs) ? { kind: "open", window } : { kind: "closed", next: window };
  } catch (error) {
    return { kind: "unknown", reason: textOf(error) };
  }
}

/** A first installation never waits; an entry without a version counts as another version. */
export function needsWindow(template: ModuleTemplate, kyma: Kyma, entry: ModuleStatus | undefined): boolean {
  if (template.spec.requiresDowntime !== true || kyma.spec.skipMaintenanceWindows === true) return false;
  return entry !== undefined && (entry.version ?? "") !== (template.spec.version ?? "");
}

/** Why an upgrade that needs a window cannot be made now; undefined when it can. */
export function windowProblem(state: WindowState): ModuleProblem | undefined {
  if (state.kind === "open") return undefined;
  return state.kind === "closed" ? problemOf("waiting") : problemOf("window-unknown", state.reason);
}
