import type { Context, EventRecorder, Logger } from "@kyma-operators/runtime";
import type { Runtime } from "../../apis/infrastructure/index.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { Garden, GardenShoot } from "./garden.ts";
import type { RuntimeMetrics } from "./metrics.ts";
import type { Landscape, RemoteClients, Settings } from "./options.ts";
import { isForeign } from "./ownership.ts";
import type { AuditLogTenant, ConversionInput } from "./shoot/index.ts";
import { auditLogTenantFor } from "./shoot/index.ts";
import type { Report, StatusDraft } from "./status.ts";

/** What a phase tells the runner. A failure that another attempt may heal is thrown. */
export type Step =
  | { readonly kind: "next" }
  /** Nothing more to do until something changes; look again after the safety net at the latest. */
  | { readonly kind: "end"; readonly afterMs?: number };

export const next: Step = { kind: "next" };
export const end: Step = { kind: "end" };
/** Ends the pass so that its status is on record before the next step. */
export const again: Step = { kind: "end", afterMs: 0 };

/** What every pass uses. */
export interface Dependencies {
  readonly garden: Garden;
  readonly controlPlane: ControlPlane;
  readonly remote: RemoteClients;
  readonly settings: Settings;
  readonly events: EventRecorder;
  readonly metrics: RuntimeMetrics;
}

/** Everything one pass knows: built once, handed to every phase, dropped at the end. */
export interface Scope {
  readonly runtime: Runtime;
  readonly deps: Dependencies;
  readonly landscape: Landscape;
  /** The only thing that phases change. */
  readonly draft: StatusDraft;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Start of the pass, milliseconds since the epoch. */
  readonly now: number;
  /** The Shoot as known; a phase that reads or writes it replaces it. */
  shoot: GardenShoot | undefined;
  /** Set when this pass did what the force annotation asks for. */
  isForceDone: boolean;
}

export type Phase = (scope: Scope) => Promise<Step> | Step;

export function scopeOf(runtime: Runtime, deps: Dependencies, draft: StatusDraft, ctx: Context): Scope {
  return {
    runtime,
    deps,
    landscape: deps.settings.landscape(),
    draft,
    signal: ctx.signal,
    log: ctx.log,
    now: ctx.now,
    shoot: deps.garden.shoot(runtime.spec.shoot.name),
    isForceDone: false,
  };
}

/** True when the Shoot is that of another Runtime. */
export function hasForeignShoot({ runtime, shoot, deps }: Scope): boolean {
  return shoot !== undefined && isForeign(runtime, shoot, deps.controlPlane.namesakes(runtime));
}

/** Gives up until something changes: Failed, with the report, counted. */
export function stop({ draft, deps }: Scope, report: Omit<Report, "status">): Step {
  draft.pending({ ...report, status: "False" });
  deps.metrics.stopped();
  return end;
}

/** What conversions take, from the Runtime and the landscape as it is now. */
export function conversionInputOf(scope: Scope, auditLog: AuditLogTenant | undefined): ConversionInput {
  const { runtime, landscape, deps } = scope;
  const maintenanceWindow = landscape.maintenanceWindows[runtime.spec.shoot.region];
  return {
    runtime,
    config: landscape.config,
    structuredAuthentication: deps.settings.structuredAuthentication,
    ...(auditLog === undefined ? {} : { auditLog }),
    ...(maintenanceWindow === undefined ? {} : { maintenanceWindow }),
  };
}

/**
 * The audit-log tenant of the Shoot's region, or undefined where it may be missing.
 *
 * Throws `CONFIG_AUDIT_LOG_PROVIDER` or `CONFIG_AUDIT_LOG_REGION` where it must not.
 */
export function auditLogOf({ runtime, landscape, deps, log }: Scope): AuditLogTenant | undefined {
  const { region, provider } = runtime.spec.shoot;
  if (deps.settings.auditLogMandatory) return auditLogTenantFor(landscape.auditLogTenants, provider.type, region);
  const tenant = landscape.auditLogTenants[provider.type]?.[region];
  if (tenant === undefined) log.debug({ region, provider: provider.type }, "no audit-log tenant for this region");
  return tenant;
}
