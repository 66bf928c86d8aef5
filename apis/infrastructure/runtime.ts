import type { Condition, JsonObject, Metadata } from "./meta.ts";
import type { Worker } from "./worker.ts";

/** The wish for one Kyma cluster; written by the environment broker. */
export interface Runtime {
  apiVersion: "infrastructuremanager.kyma-project.io/v1";
  kind: "Runtime";
  metadata: Metadata;
  spec: RuntimeSpec;
  status?: RuntimeStatus;
}

export interface RuntimeSpec {
  readonly shoot: RuntimeShoot;
  readonly security: Security;
  /** Kept by the registry cache controller: true while the cluster asks for at least one cache. */
  readonly imageRegistryCache?: { readonly enabled: boolean };
}

/** The cluster as the infrastructure provider has to build it. */
export interface RuntimeShoot {
  readonly name: string;
  readonly purpose: string;
  readonly platformRegion: string;
  readonly region: string;
  readonly licenceType?: string;
  readonly secretBindingName: string;
  readonly enforceSeedLocation?: boolean;
  readonly kubernetes?: RuntimeKubernetes;
  readonly networking: Networking;
  readonly controlPlane?: ControlPlane;
  readonly provider: RuntimeProvider;
}

export interface RuntimeKubernetes {
  readonly version?: string;
  readonly kubeAPIServer?: {
    readonly oidcConfig?: OidcConfig;
    readonly additionalOidcConfig?: readonly AdditionalOidcConfig[];
  };
}

export interface OidcConfig {
  readonly caBundle?: string;
  readonly clientAuthentication?: {
    readonly extraConfig?: Readonly<Record<string, string>>;
    readonly secret?: string;
  };
  readonly clientID?: string;
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  readonly issuerURL?: string;
  readonly requiredClaims?: Readonly<Record<string, string>>;
  readonly signingAlgs?: readonly string[];
  readonly usernameClaim?: string;
  readonly usernamePrefix?: string;
}

export interface AdditionalOidcConfig extends OidcConfig {
  /** Base64 of a JSON Web Key Set. */
  readonly jwks?: string;
}

/** Address ranges in CIDR notation. */
export interface Networking {
  readonly type?: string;
  readonly nodes: string;
  readonly pods: string;
  readonly services: string;
}

export interface ControlPlane {
  readonly highAvailability?: { readonly failureTolerance: { readonly type: string } };
}

export interface RuntimeProvider {
  readonly type: ProviderType;
  /** The main pool: exactly one entry. */
  readonly workers: readonly Worker[];
  readonly additionalWorkers?: readonly Worker[];
  /** Accepted for compatibility, never read. */
  readonly infrastructureConfig?: JsonObject;
  /** Accepted for compatibility, never read. */
  readonly controlPlaneConfig?: JsonObject;
}

export const providerTypes = ["aws", "azure", "gcp", "openstack", "alicloud"] as const;
export type ProviderType = (typeof providerTypes)[number];

export interface Security {
  /** User names that get cluster-admin. */
  readonly administrators: readonly string[];
  readonly networking: {
    readonly filter: {
      readonly egress: { readonly enabled: boolean };
      readonly ingress?: { readonly enabled: boolean };
    };
  };
}

export const runtimeStates = ["Pending", "Ready", "Terminating", "Failed"] as const;
export type RuntimeState = (typeof runtimeStates)[number];

export interface RuntimeStatus {
  readonly state: RuntimeState;
  readonly conditions?: readonly Condition[];
  /** True from the first time the Runtime was Ready, for ever. */
  readonly provisioningCompleted?: boolean;
  /** When the running creation or update of the Shoot began, RFC 3339; absent while none runs. */
  readonly operationStartedAt?: string;
  /** Errors of the Shoot's last operation as Gardener words them. */
  readonly shootLastErrors?: readonly ShootError[];
}

export interface ShootError {
  readonly description: string;
  readonly codes?: readonly string[];
  readonly taskID?: string;
  readonly lastUpdateTime?: string;
}
