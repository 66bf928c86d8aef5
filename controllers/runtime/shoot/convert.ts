import type { NamedResource, Shoot, ShootSpec, TimeWindow } from "@kyma-operators/gardener";
import { projectNamespace, shootApiVersion } from "@kyma-operators/gardener";
import {
  labels,
  type Problem,
  type RegistryCache,
  type Runtime,
  requiredRuntimeLabels,
  shootMarks,
} from "../../../apis/infrastructure/index.ts";
import { auditPolicy, withAuditCredentials } from "./audit-log.ts";
import { authenticationOf, usesStructuredAuthentication } from "./authentication.ts";
import { isCacheResource } from "./caches.ts";
import type { AuditLogTenant, LandscapeConfig } from "./config.ts";
import { dnsOf } from "./dns.ts";
import { conversionErrors } from "./errors.ts";
import { createExtensions, patchExtensions } from "./extensions.ts";
import { maintenanceOf } from "./maintenance.ts";
import { accessOf, bindingOf, cloudProfileOf, exposureClassOf, seedSelectorOf, tolerationsOf } from "./placement.ts";
import { createProvider, patchProvider } from "./provider.ts";
import { shootVersion } from "./version.ts";

/** What a conversion knows besides the Runtime. */
export interface ConversionInput {
  readonly runtime: Runtime;
  readonly config: LandscapeConfig;
  /** Absent: no audit log. */
  readonly auditLog?: AuditLogTenant;
  /** Window of the Shoot's region; used for production only. */
  readonly maintenanceWindow?: TimeWindow;
  /** Forced on; Kubernetes 1.32 and newer always use it. */
  readonly structuredAuthentication?: boolean;
}

export interface PatchInput extends ConversionInput {
  /** The Shoot as Gardener has it. */
  readonly shoot: Shoot;
  /** Caches that the cluster asks for; they count only while the Runtime has the cache enabled. */
  readonly caches?: readonly RegistryCache[];
  /** The caches' credentials beside the Shoot; they replace those of an earlier patch. */
  readonly cacheResources?: readonly NamedResource[];
}

/**
 * The Shoot to create for a Runtime.
 *
 * Pure: the Runtime is not changed and nothing is looked up. Throws `CONVERSION_…` and `GARDENER_…` errors.
 */
export function convertToShoot(input: ConversionInput): Shoot {
  const { runtime, config, auditLog } = input;
  requireLabels(runtime);
  const version = shootVersion(runtime, config);
  const dns = dnsOf(runtime, config, version);
  const tolerations = tolerationsOf(runtime, config);
  return assemble(input, version, {
    provider: createProvider(runtime, config),
    extensions: createExtensions(runtime, config, auditLog),
    resources: withAuditCredentials([], auditLog),
    ...(tolerations.length > 0 ? { tolerations } : {}),
    ...(dns === undefined ? {} : { dns }),
  });
}

/**
 * The body of the server-side apply that brings an existing Shoot to what the Runtime says.
 *
 * Versions are never lowered, zones and pools keep their order and place, lists start from what the Shoot has. DNS and
 * tolerations are set at creation only. Throws `CONVERSION_…` and `GARDENER_…` errors.
 */
export function convertToPatch(input: PatchInput): Shoot {
  const { runtime, config, shoot, auditLog } = input;
  requireLabels(runtime);
  const version = shootVersion(runtime, config, shoot);
  return assemble(input, version, {
    provider: patchProvider(runtime, config, shoot),
    extensions: patchExtensions({ runtime, shoot, auditLog, caches: input.caches ?? [] }),
    resources: [
      ...withAuditCredentials(
        (shoot.spec.resources ?? []).filter((resource) => !isCacheResource(resource)),
        auditLog,
      ),
      ...(input.cacheResources ?? []),
    ],
  });
}

type Parts = Pick<ShootSpec, "provider" | "extensions" | "tolerations" | "dns"> & {
  readonly resources: readonly NamedResource[];
};

function assemble(input: ConversionInput, version: string, { resources, ...parts }: Parts): Shoot {
  const { runtime, config, auditLog } = input;
  const { shoot } = runtime.spec;
  const { name, kind, nodes, pods, services } = { kind: shoot.networking.type, ...shoot.networking, name: shoot.name };
  const structured = usesStructuredAuthentication(version, input.structuredAuthentication);
  const maintenance = maintenanceOf(runtime, config, input.maintenanceWindow);
  return {
    apiVersion: shootApiVersion,
    kind: "Shoot",
    metadata: { name, namespace: projectNamespace(config.converter.gardener.projectName), ...marksOf(runtime) },
    spec: {
      purpose: shoot.purpose,
      region: shoot.region,
      ...bindingOf(runtime, config, version),
      ...cloudProfileOf(runtime, config, version),
      networking: { ...(kind === undefined ? {} : { type: kind }), nodes, pods, services },
      ...(shoot.controlPlane === undefined ? {} : { controlPlane: { ...shoot.controlPlane } }),
      ...seedSelectorOf(runtime),
      ...accessOf(runtime),
      ...exposureClassOf(runtime),
      kubernetes: {
        version,
        kubeAPIServer: { ...authenticationOf(runtime, config, structured), ...auditPolicy(config, auditLog) },
      },
      ...parts,
      ...(resources.length > 0 ? { resources } : {}),
      maintenance,
    },
  };
}

function requireLabels({ metadata }: Runtime): void {
  const label = requiredRuntimeLabels.find((key) => !metadata.labels?.[key]);
  if (label !== undefined) throw conversionErrors.MISSING_LABEL({ label });
}

function marksOf({ metadata, spec }: Runtime): { labels: Record<string, string>; annotations: Record<string, string> } {
  const valueOf = (label: string): string => metadata.labels?.[label] ?? "";
  const { licenceType } = spec.shoot;
  return {
    labels: {
      [shootMarks.account]: valueOf(labels.globalAccountId),
      [shootMarks.subaccount]: valueOf(labels.subaccountId),
    },
    annotations: {
      [shootMarks.runtimeId]: valueOf(labels.runtimeId),
      [shootMarks.runtimeGeneration]: String(metadata.generation ?? 0),
      ...(licenceType ? { [shootMarks.licenceType]: licenceType } : {}),
    },
  };
}

/** Throws `CONVERSION_INVALID_RUNTIME` when there are problems. */
export function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw conversionErrors.INVALID_RUNTIME({ problems });
}
