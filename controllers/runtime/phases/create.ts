import { hasCode, isAppError, textOf } from "@kyma-operators/errors";
import type { Shoot } from "@kyma-operators/gardener";
import type { RequestDetail } from "@kyma-operators/kube";
import { validateRuntime } from "../../../apis/infrastructure/index.ts";
import {
  again,
  auditLogOf,
  conversionInputOf,
  end,
  hasForeignShoot,
  next,
  type Scope,
  type Step,
  stop,
} from "../scope.ts";
import { seedRegions } from "../seeds.ts";
import { type AuditLogTenant, convertToShoot, refuse, structuredAuthConfigMap, subnetWarning } from "../shoot/index.ts";
import { dropGardenerCluster } from "./cluster.ts";

/** Says that the Runtime was seen, before anything is built for it. */
export function announce({ draft, runtime, shoot }: Scope): Step {
  const isKnown = runtime.status?.conditions?.some(({ type }) => type === "Provisioned") === true;
  if (shoot !== undefined || isKnown) return next;
  draft.pending({ type: "Provisioned", status: "Unknown", reason: "Initialised", message: "Runtime initialized" });
  return again;
}

/** Creates the Shoot where there is none, stops at one that another Runtime has, and waits where one goes. */
export async function createShoot(scope: Scope): Promise<Step> {
  // The watch may not have shown yet what an earlier pass created.
  scope.shoot ??= await scope.deps.garden.live(scope.runtime.spec.shoot.name, scope.signal);
  const { shoot } = scope;
  if (shoot !== undefined && hasForeignShoot(scope)) return refuseForeign(scope);
  if (shoot !== undefined) return shoot.metadata.deletionTimestamp === undefined ? next : awaitEnd(scope);
  await dropGardenerCluster(scope);
  return (await checkSeeds(scope)) ?? build(scope);
}

/** Somebody else deletes the Shoot: Gardener takes no change any more, and what is there goes. */
function awaitEnd({ draft }: Scope): Step {
  const message = "Shoot is being deleted, but not by this Runtime: it is created again when it is gone";
  draft.operationEnded();
  draft.pending({ type: "Provisioned", status: "Unknown", reason: "Pending", message });
  return end;
}

function build(scope: Scope): Promise<Step> | Step {
  let auditLog: AuditLogTenant | undefined;
  try {
    auditLog = auditLogOf(scope);
  } catch (error) {
    return stop(scope, auditLogFailure(error));
  }
  let shoot: Shoot;
  try {
    shoot = buildShoot(scope, auditLog);
  } catch (error) {
    return stop(scope, conversionFailure(error));
  }
  return send(scope, shoot);
}

/** The Shoot to create. Throws `CONVERSION_…` and `GARDENER_…` errors. */
export function buildShoot(scope: Scope, auditLog: AuditLogTenant | undefined): Shoot {
  const shoot = convertToShoot(conversionInputOf(scope, auditLog));
  const { projectName } = scope.landscape.config.converter.gardener;
  refuse(validateRuntime(scope.runtime, { projectName }));
  return shoot;
}

/** The report of a Runtime without the audit-log tenant that it must have. */
export function auditLogFailure(error: unknown) {
  const message = `Failed to configure audit logs: ${textOf(error)}`;
  return { type: "Provisioned", reason: "AuditLogErr", message } as const;
}

/** The report of a conversion that was refused. */
export function conversionFailure(error: unknown) {
  const message = `Runtime conversion error ${textOf(error)}`;
  return { type: "Provisioned", reason: "ConversionErr", message } as const;
}

async function send(scope: Scope, shoot: Shoot): Promise<Step> {
  const { deps, draft, signal } = scope;
  try {
    await writeAuthentication(scope, shoot);
  } catch (error) {
    return giveUp(scope, error, {
      reason: "OidcConfigurationErr",
      message: "Failed to create structured authentication config map",
    });
  }
  try {
    scope.shoot = await deps.garden.create(shoot, signal);
  } catch (error) {
    if (hasCode(error, "KUBE_ALREADY_EXISTS")) return again;
    return giveUp(scope, error, { reason: "GardenerErr", message: `Gardener API create error: ${textOf(error)}` });
  }
  draft.operationEnded();
  draft.operationBegan();
  draft.pending({
    type: "Provisioned",
    status: "Unknown",
    reason: "Pending",
    message: `Shoot is pending${subnetWarning(shoot)}`,
  });
  return end;
}

/** Writes the ConfigMap that a Shoot with structured authentication refers to. */
export async function writeAuthentication({ runtime, landscape, deps, signal }: Scope, shoot: Shoot): Promise<void> {
  if (shoot.spec.kubernetes.kubeAPIServer?.structuredAuthentication === undefined) return;
  await deps.garden.writeConfigMap(structuredAuthConfigMap(runtime, landscape.config), signal);
}

/** Failed either way; what another attempt may heal goes to the back-off of the queue. */
export function giveUp(
  scope: Scope,
  error: unknown,
  report: { readonly reason: "OidcConfigurationErr" | "GardenerErr" | "ProcessingErr"; readonly message: string },
): Step {
  const step = stop(scope, { type: "Provisioned", ...report });
  if (!isRefusal(error)) throw error;
  return step;
}

/** Answers that say that the request itself is wrong. Gardener says 403 to allowed requests too, now and then. */
function isRefusal(error: unknown): boolean {
  const status = isAppError(error) ? (error.detail as Partial<RequestDetail>).status : undefined;
  return status !== undefined && status >= 400 && status < 500 && ![401, 403, 404, 408, 409, 429].includes(status);
}

function refuseForeign(scope: Scope): Step {
  const { name } = scope.runtime.spec.shoot;
  const message = `Gardener API create error: Shoot ${name} exists and belongs to another Runtime`;
  return stop(scope, { type: "Provisioned", reason: "GardenerErr", message });
}

/** Gardener's scheduler waits for ever where there is no Seed; so we look first. */
async function checkSeeds(scope: Scope): Promise<Step | undefined> {
  const { shoot } = scope.runtime.spec;
  if (shoot.enforceSeedLocation !== true) return undefined;
  let regions: readonly string[];
  try {
    regions = seedRegions(await scope.deps.garden.seeds(scope.signal), shoot.provider.type);
  } catch (error) {
    return giveUp(scope, error, { reason: "GardenerErr", message: `Gardener API seed check error: ${textOf(error)}` });
  }
  if (regions.includes(shoot.region)) return undefined;
  const known = regions.length === 0 ? "none" : regions.join(", ");
  const message = `Seed cannot be found for region ${shoot.region}, regions with usable seeds: ${known}`;
  return stop(scope, { type: "Provisioned", reason: "SeedNotFound", message });
}
