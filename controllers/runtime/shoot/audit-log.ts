import type { KubeApiServer, NamedResource, ShootExtension } from "@kyma-operators/gardener";
import type { AuditLogTenant, LandscapeConfig } from "./config.ts";

const credentials = "auditlog-credentials";

export const auditLogExtension = "shoot-auditlog-service";

/** The extension that ships the audit log of a Shoot to its tenant. */
export function auditLogExtensionFor(tenant: AuditLogTenant): ShootExtension {
  return {
    type: auditLogExtension,
    providerConfig: {
      apiVersion: "service.auditlog.extensions.gardener.cloud/v1alpha1",
      kind: "AuditlogConfig",
      type: "standard",
      tenantID: tenant.tenantID,
      serviceURL: tenant.serviceURL,
      secretReferenceName: credentials,
    },
  };
}

/** The resources with the reference to the tenant's Secret, in its place or at the end. */
export function withAuditCredentials(
  resources: readonly NamedResource[],
  tenant: AuditLogTenant | undefined,
): readonly NamedResource[] {
  if (tenant === undefined) return resources;
  const wanted: NamedResource = {
    name: credentials,
    resourceRef: { apiVersion: "v1", kind: "Secret", name: tenant.secretName },
  };
  const isThere = resources.some(({ name }) => name === credentials);
  return isThere ? resources.map((each) => (each.name === credentials ? wanted : each)) : [...resources, wanted];
}

/** The audit policy of the API server; only where the log goes somewhere. */
export function auditPolicy(
  config: LandscapeConfig,
  tenant: AuditLogTenant | undefined,
): Pick<KubeApiServer, "auditConfig"> {
  if (tenant === undefined) return {};
  const name = config.converter.auditLogging.policyConfigMapName;
  return { auditConfig: { auditPolicy: { configMapRef: { name } } } };
}
