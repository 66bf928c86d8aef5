import { isAtLeast, type ShootDns } from "@kyma-operators/gardener";
import type { Runtime } from "../../../apis/infrastructure/index.ts";
import type { LandscapeConfig } from "./config.ts";

/** A DNS zone of the landscape; without one Gardener assigns a domain of its own. */
export interface ExternalDns {
  readonly domain: string;
  readonly secretName: string;
  readonly providerType: string;
}

/** From this Kubernetes version on Gardener refuses `secretName` in DNS providers. */
const referencesOnly = "1.35";

export function externalDnsOf(runtime: Runtime, config: LandscapeConfig): ExternalDns | undefined {
  const { secretName, domainPrefix, providerType } = config.converter.dns;
  if (secretName === "" && domainPrefix === "" && providerType === "") return undefined;
  return { domain: `${runtime.spec.shoot.name}.${domainPrefix}`, secretName, providerType };
}

/** `spec.dns` of a new Shoot; absent when Gardener manages the domain. */
export function dnsOf(runtime: Runtime, config: LandscapeConfig, version: string): ShootDns | undefined {
  const external = externalDnsOf(runtime, config);
  if (external === undefined) return undefined;
  const { domain, secretName, providerType } = external;
  const credentials = isAtLeast(version, referencesOnly)
    ? { credentialsRef: { apiVersion: "v1", kind: "Secret", name: secretName } }
    : { secretName };
  return {
    domain,
    providers: [{ domains: { include: [domain] }, primary: true, ...credentials, type: providerType }],
  };
}
