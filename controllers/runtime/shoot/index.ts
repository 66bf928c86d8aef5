export {
  type StructuredAuthConfigMap,
  structuredAuthConfigMap,
  structuredAuthConfigName,
  usesStructuredAuthentication,
} from "./authentication.ts";
export { cachePrefix, isCacheResource } from "./caches.ts";
export { catalogueProblems } from "./catalogue.ts";
export {
  type AuditLogTenant,
  type AuditLogTenants,
  auditLogTenantFor,
  type LandscapeConfig,
  type MaintenanceWindows,
  type PlatformRegions,
  parseAuditLogTenants,
  parseLandscapeConfig,
  parseMaintenanceWindows,
  parsePlatformRegions,
} from "./config.ts";
export { type ConversionInput, convertToPatch, convertToShoot, type PatchInput, refuse } from "./convert.ts";
export { type ShootDifference, type ShootDifferences, shootDifferences } from "./differences.ts";
export { configErrors, conversionErrors } from "./errors.ts";
export { oidcExtension, registryCache } from "./extensions.ts";
export {
  differenceText,
  type MigrationInput,
  oidcFromStructuredConfig,
  provisionerMarks,
  runtimeForShoot,
  unwantedDifferences,
} from "./migrate.ts";
export { parseCustomConfig, parseRuntime, parseShoot } from "./parse.ts";
export { subnetWarning } from "./provider.ts";
export { updateBefore } from "./update.ts";
export { shootVersion } from "./version.ts";
export { keptZones } from "./workers.ts";
