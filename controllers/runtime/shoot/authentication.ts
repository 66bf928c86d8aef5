import { isAtLeast, type KubeApiServer, projectNamespace } from "@kyma-operators/gardener";
import type { OidcConfig, Runtime } from "../../../apis/infrastructure/index.ts";
import type { LandscapeConfig } from "./config.ts";

/** From this Kubernetes version on Gardener refuses an `oidcConfig` block. */
const structuredOnly = "1.32";

/** Fields of the Runtime's block that reach the Shoot; client authentication does not. */
const copied = [
  "caBundle",
  "clientID",
  "groupsClaim",
  "groupsPrefix",
  "issuerURL",
  "requiredClaims",
  "signingAlgs",
  "usernameClaim",
  "usernamePrefix",
] as const;

/** Whether the API server reads its identity provider from a ConfigMap. */
export function usesStructuredAuthentication(version: string, forced = false): boolean {
  return forced || isAtLeast(version, structuredOnly);
}

/** Name of the ConfigMap, in the project namespace beside the Shoot. */
export function structuredAuthConfigName(shootName: string): string {
  return `structured-auth-config-${shootName}`;
}

/** The operators' identity provider: the Runtime's, or the landscape's when the Runtime names none. */
export function operatorOidcOf({ spec: { shoot } }: Runtime, config: LandscapeConfig): OidcConfig {
  const own = shoot.kubernetes?.kubeAPIServer?.oidcConfig;
  const isNamed = own?.clientID !== undefined || own?.issuerURL !== undefined;
  return own !== undefined && isNamed ? own : config.converter.kubernetes.defaultOperatorOidc;
}

export function authenticationOf(
  runtime: Runtime,
  config: LandscapeConfig,
  structured: boolean,
): Pick<KubeApiServer, "oidcConfig" | "structuredAuthentication"> {
  if (structured) {
    return { structuredAuthentication: { configMapName: structuredAuthConfigName(runtime.spec.shoot.name) } };
  }
  const oidc = operatorOidcOf(runtime, config);
  const present = copied.filter((key) => oidc[key] !== undefined).map((key) => [key, oidc[key]]);
  return { oidcConfig: Object.fromEntries(present) };
}

/** A ConfigMap as the project namespace holds it. */
export interface StructuredAuthConfigMap {
  readonly apiVersion: "v1";
  readonly kind: "ConfigMap";
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data: { readonly "config.yaml": string };
}

/** The ConfigMap that a Shoot with structured authentication refers to; it must exist before the Shoot does. */
export function structuredAuthConfigMap(runtime: Runtime, config: LandscapeConfig): StructuredAuthConfigMap {
  const document = {
    apiVersion: "apiserver.config.k8s.io/v1beta1",
    kind: "AuthenticationConfiguration",
    jwt: [jwtOf(operatorOidcOf(runtime, config))],
  };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: structuredAuthConfigName(runtime.spec.shoot.name),
      namespace: projectNamespace(config.converter.gardener.projectName),
    },
    // JSON is YAML, and this is read by programs.
    data: { "config.yaml": `${JSON.stringify(document, null, 2)}\n` },
  };
}

function jwtOf(oidc: OidcConfig): Readonly<Record<string, unknown>> {
  const rules = Object.entries(oidc.requiredClaims ?? {}).map(([claim, requiredValue]) => ({ claim, requiredValue }));
  return {
    issuer: {
      url: oidc.issuerURL,
      audiences: oidc.clientID === undefined ? [] : [oidc.clientID],
      ...(oidc.caBundle === undefined ? {} : { certificateAuthority: oidc.caBundle }),
    },
    // Kubernetes wants a prefix beside every claim, an empty one included.
    claimMappings: {
      username: { claim: oidc.usernameClaim, prefix: oidc.usernamePrefix ?? "" },
      ...(oidc.groupsClaim === undefined
        ? {}
        : { groups: { claim: oidc.groupsClaim, prefix: oidc.groupsPrefix ?? "" } }),
    },
    ...(rules.length > 0 ? { claimValidationRules: rules } : {}),
  };
}
