import { isDeepStrictEqual } from "node:util";
import type { Shoot, ShootExtension } from "@kyma-operators/gardener";
import type { RegistryCache, Runtime } from "../../../apis/infrastructure/index.ts";
import { auditLogExtension, auditLogExtensionFor } from "./audit-log.ts";
import type { AuditLogTenant, LandscapeConfig } from "./config.ts";
import { externalDnsOf } from "./dns.ts";

const networkingFilter = "shoot-networking-filter";
export const registryCache = "registry-cache";
export const oidcExtension = "shoot-oidc-service";

/** Extensions of a new Shoot, in this order. */
export function createExtensions(
  runtime: Runtime,
  config: LandscapeConfig,
  auditLog: AuditLogTenant | undefined,
): readonly ShootExtension[] {
  return [
    networkingFilterOf(runtime),
    certificates,
    dnsExtensionOf(runtime, config),
    { type: oidcExtension, disabled: false },
    ...(auditLog === undefined ? [] : [auditLogExtensionFor(auditLog)]),
  ];
}

export interface ExtensionInput {
  readonly runtime: Runtime;
  readonly shoot: Shoot;
  readonly auditLog: AuditLogTenant | undefined;
  readonly caches: readonly RegistryCache[];
}

/**
 * Extensions of an existing Shoot. The list is atomic for server-side apply, so it starts from what is there: foreign
 * entries, certificates, DNS and OIDC stay as they are, in their order.
 */
export function patchExtensions({ runtime, shoot, auditLog, caches }: ExtensionInput): readonly ShootExtension[] {
  const current = shoot.spec.extensions ?? [];
  const withAuditLog = auditLog === undefined ? current : replaceAuditLog(current, auditLogExtensionFor(auditLog));
  const withFilter = replace(withAuditLog, networkingFilterOf(runtime));
  if (runtime.spec.imageRegistryCache?.enabled && caches.length > 0) {
    return replace(withFilter, registryCacheFor(caches));
  }
  return withFilter.map((each) => (each.type === registryCache ? { ...each, disabled: true } : each));
}

function replace(list: readonly ShootExtension[], next: ShootExtension): readonly ShootExtension[] {
  const isThere = list.some(({ type }) => type === next.type);
  return isThere ? list.map((each) => (each.type === next.type ? next : each)) : [...list, next];
}

/** An audit log that says the same keeps whatever else Gardener or others added to its entry. */
function replaceAuditLog(list: readonly ShootExtension[], next: ShootExtension): readonly ShootExtension[] {
  const current = list.find(({ type }) => type === auditLogExtension);
  const isSame = Object.entries(next.providerConfig ?? {}).every(([key, value]) =>
    isDeepStrictEqual(current?.providerConfig?.[key], value),
  );
  return current !== undefined && isSame ? list : replace(list, next);
}

/** Ingress alone does nothing: blocking needs the egress filter. */
function networkingFilterOf({ spec }: Runtime): ShootExtension {
  const { egress, ingress } = spec.security.networking.filter;
  const isBlackholing = egress.enabled && ingress?.enabled === true;
  return {
    type: networkingFilter,
    disabled: !egress.enabled,
    ...(isBlackholing ? { providerConfig: { egressFilter: { blackholingEnabled: true } } } : {}),
  };
}

const certificates: ShootExtension = {
  type: "shoot-cert-service",
  providerConfig: {
    apiVersion: "service.cert.extensions.gardener.cloud/v1alpha1",
    kind: "CertConfig",
    shootIssuers: { enabled: true },
  },
};

function dnsExtensionOf(runtime: Runtime, config: LandscapeConfig): ShootExtension {
  const external = externalDnsOf(runtime, config);
  const provider = external && {
    domains: { include: [external.domain] },
    secretName: external.secretName,
    type: external.providerType,
  };
  return {
    type: "shoot-dns-service",
    providerConfig: {
      apiVersion: "service.dns.extensions.gardener.cloud/v1alpha1",
      kind: "DNSConfig",
      ...(provider === undefined ? {} : { dnsProviderReplication: { enabled: true }, providers: [provider] }),
      syncProvidersFromShootSpecDNS: true,
    },
  };
}

/** Fields of a cache that the extension knows; `http` is not among them. */
const cacheFields = [
  "upstream",
  "remoteURL",
  "volume",
  "garbageCollection",
  "secretReferenceName",
  "proxy",
] as const satisfies readonly (keyof RegistryCache)[];

function registryCacheFor(caches: readonly RegistryCache[]): ShootExtension {
  return {
    type: registryCache,
    disabled: false,
    providerConfig: {
      apiVersion: "registry.extensions.gardener.cloud/v1alpha3",
      kind: "RegistryConfig",
      caches: caches.map(forwarded),
    },
  };
}

function forwarded(cache: RegistryCache): Partial<RegistryCache> {
  const present = cacheFields.filter((field) => cache[field] !== undefined);
  return Object.fromEntries(present.map((field) => [field, cache[field]]));
}
