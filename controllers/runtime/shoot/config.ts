import { parseMaintenanceTime, type TimeWindow, windowLength, windowLimits } from "@kyma-operators/gardener";
import { z } from "zod";
import { configErrors } from "./errors.ts";

/** A map by names that Runtimes choose: `constructor` is a name like any other. */
function mapOf<V extends z.ZodType>(value: V) {
  return z.record(z.string(), value).transform((map) => Object.assign(Object.create(null) as typeof map, map));
}

const oidc = z.strictObject({
  clientID: z.string().min(1),
  groupsClaim: z.string().min(1),
  issuerURL: z.url(),
  signingAlgs: z.array(z.string()).min(1),
  usernameClaim: z.string().min(1),
  usernamePrefix: z.string().min(1),
});

const cloudProfile = z.strictObject({
  kind: z.enum(["CloudProfile", "NamespacedCloudProfile"]),
  name: z.string().min(1),
});

const kubernetes = z
  .strictObject({
    defaultVersion: z.string().min(1),
    enableKubernetesVersionAutoUpdate: z.boolean().default(false),
    // The doubled word is the key that the original reads, the other one is what it documents.
    enableMachineImageVersionVersionAutoUpdate: z.boolean().optional(),
    enableMachineImageVersionAutoUpdate: z.boolean().optional(),
    defaultOperatorOidc: oidc,
  })
  .transform(
    ({ enableMachineImageVersionVersionAutoUpdate: doubled, enableMachineImageVersionAutoUpdate: plain, ...rest }) => ({
      ...rest,
      enableMachineImageVersionAutoUpdate: doubled ?? plain ?? false,
    }),
  );

const dns = z.strictObject({
  secretName: z.string().default(""),
  domainPrefix: z.string().default(""),
  providerType: z.string().default(""),
});

const converter = z.strictObject({
  kubernetes,
  dns: dns.default({ secretName: "", domainPrefix: "", providerType: "" }),
  provider: z
    .strictObject({ aws: z.strictObject({ enableIMDSv2: z.boolean().default(true) }).default({ enableIMDSv2: true }) })
    .default({ aws: { enableIMDSv2: true } }),
  machineImage: z.strictObject({ defaultName: z.string().min(1), defaultVersion: z.string().min(1) }),
  gardener: z.strictObject({
    projectName: z.string().min(1),
    /** Shoots name a CredentialsBinding instead of a SecretBinding. */
    enableCredentialBinding: z.boolean().default(false),
    /** Cloud profile per provider type, where a landscape does not use the usual names. */
    cloudProfiles: mapOf(cloudProfile).prefault({}),
  }),
  auditLogging: z.strictObject({ policyConfigMapName: z.string().min(1), tenantConfigPath: z.string().min(1) }),
  maintenanceWindow: z.strictObject({ windowMapPath: z.string().default("") }).default({ windowMapPath: "" }),
  /** Tolerations of new Shoots by region. */
  tolerations: mapOf(z.array(z.strictObject({ key: z.string().min(1), value: z.string().optional() }))).prefault({
    "me-central2": [{ key: "ksa-assured-workload" }],
  }),
});

const schema = z.strictObject({
  cluster: z.strictObject({ defaultSharedIASTenant: oidc }),
  converter,
});

/** The converter configuration of a landscape. */
export type LandscapeConfig = z.infer<typeof schema>;

const tenant = z.strictObject({
  tenantID: z.string().min(1),
  serviceURL: z.url(),
  secretName: z.string().min(1),
});

/** Where the audit log of one region goes. */
export type AuditLogTenant = z.infer<typeof tenant>;

const tenants = mapOf(mapOf(tenant));

/** Tenants by provider type and region. */
export type AuditLogTenants = z.infer<typeof tenants>;

const maintenanceTime = z.string().refine((text) => parseMaintenanceTime(text) !== undefined, {
  error: ({ input }) => `expected HHMMSS+ZZZZ, for example 220000+0000, found ${JSON.stringify(input)}`,
});

/** Gardener refuses every Shoot with another window, and with it whatever else changes in that Shoot. */
const window = z.strictObject({ begin: maintenanceTime, end: maintenanceTime }).refine(hasGardenersLength, {
  error: ({ input }) => {
    const { begin, end } = input as TimeWindow;
    return `expected a window of 30 minutes to 6 hours, found ${begin} to ${end}`;
  },
});

function hasGardenersLength(found: TimeWindow): boolean {
  const seconds = windowLength(found);
  if (seconds === undefined) return true; // which of the two times is wrong was said already
  return seconds >= windowLimits.least && seconds <= windowLimits.greatest;
}

const windows = mapOf(window);

/** Maintenance windows by region. */
export type MaintenanceWindows = z.infer<typeof windows>;

const platformRegions = mapOf(z.string().min(1));

/** Platform regions by region. */
export type PlatformRegions = z.infer<typeof platformRegions>;

/**
 * Reads the converter configuration. Unknown keys are refused with their names: the original ignored them in silence,
 * and a switch with a typing error stayed off for months.
 *
 * @param file - how errors name the text. Throws `CONFIG_NOT_JSON`, `CONFIG_INVALID`.
 */
export function parseLandscapeConfig(text: string, file: string): LandscapeConfig {
  return parse(schema, text, file);
}

/** Reads the audit-log tenant map. Throws `CONFIG_NOT_JSON`, `CONFIG_INVALID`. */
export function parseAuditLogTenants(text: string, file: string): AuditLogTenants {
  return parse(tenants, text, file);
}

/** Reads the maintenance window map. Throws `CONFIG_NOT_JSON`, `CONFIG_INVALID`. */
export function parseMaintenanceWindows(text: string, file: string): MaintenanceWindows {
  return parse(windows, text, file);
}

/** Reads the platform region of each region. Throws `CONFIG_NOT_JSON`, `CONFIG_INVALID`. */
export function parsePlatformRegions(text: string, file: string): PlatformRegions {
  return parse(platformRegions, text, file);
}

/** The tenant of a Shoot's provider and region. Throws `CONFIG_AUDIT_LOG_PROVIDER`, `CONFIG_AUDIT_LOG_REGION`. */
export function auditLogTenantFor(all: AuditLogTenants, provider: string, region: string): AuditLogTenant {
  const regions = all[provider];
  if (regions === undefined) throw configErrors.AUDIT_LOG_PROVIDER({ provider });
  const found = regions[region];
  if (found === undefined) throw configErrors.AUDIT_LOG_REGION({ provider, region });
  return found;
}

function parse<T>(type: z.ZodType<T>, text: string, file: string): T {
  const result = type.safeParse(parseJson(text, file));
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".") || "document"}: ${message}`);
  throw configErrors.INVALID({ file, problems });
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw configErrors.NOT_JSON({ file }, error);
  }
}
