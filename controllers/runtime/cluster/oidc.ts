import type { AnyObject } from "@kyma-operators/kube";
import { jsonEqual } from "@kyma-operators/runtime";
import {
  type AdditionalOidcConfig,
  infrastructureManager,
  labels,
  type OidcConfig,
  type Runtime,
} from "../../../apis/infrastructure/index.ts";
import type { LandscapeConfig } from "../shoot/index.ts";

/** Writes that bring the identity providers of a cluster to what its Runtime says. */
export interface OidcPlan {
  readonly create: readonly AnyObject[];
  readonly update: readonly AnyObject[];
  /** Names. */
  readonly remove: readonly string[];
  /** Entries of the Runtime without client or issuer, by index; they are left out. */
  readonly incomplete: readonly number[];
}

const apiVersion = "authentication.gardener.cloud/v1alpha1";

/**
 * Compares the identity providers of a Runtime with what its cluster has of ours.
 *
 * What is equal is left alone: a provider that goes away and comes back locks users out in between.
 *
 * @param existing - OpenIDConnects with our label.
 */
export function planOidc(runtime: Runtime, config: LandscapeConfig, existing: readonly AnyObject[]): OidcPlan {
  const entries = runtime.spec.shoot.kubernetes?.kubeAPIServer?.additionalOidcConfig ?? [];
  const complete = entries.filter(isComplete);
  const wanted = (complete.length > 0 ? complete : [config.cluster.defaultSharedIASTenant]).map(openIdConnect);
  const known = new Map(existing.map((object) => [object.metadata.name, object]));
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  return {
    create: wanted.filter(({ metadata }) => !known.has(metadata.name)),
    update: wanted.flatMap((object) => {
      const current = known.get(object.metadata.name);
      return current === undefined || isSame(current, object) ? [] : [{ ...current, spec: object["spec"] }];
    }),
    remove: existing.flatMap(({ metadata }) => (names.has(metadata.name) ? [] : [metadata.name ?? ""])),
    incomplete: entries.flatMap((entry, index) => (isComplete(entry) ? [] : [index])),
  };
}

function isComplete({ clientID, issuerURL }: OidcConfig): boolean {
  return Boolean(clientID) && Boolean(issuerURL);
}

function openIdConnect(entry: AdditionalOidcConfig, index: number): AnyObject {
  const spec = {
    issuerURL: entry.issuerURL,
    clientID: entry.clientID,
    usernameClaim: entry.usernameClaim,
    usernamePrefix: entry.usernamePrefix,
    groupsClaim: entry.groupsClaim,
    groupsPrefix: entry.groupsPrefix,
    requiredClaims: entry.requiredClaims,
    supportedSigningAlgs: entry.signingAlgs,
    jwks: entry.jwks === undefined ? {} : { keys: entry.jwks },
  };
  return {
    apiVersion,
    kind: "OpenIDConnect",
    metadata: { name: `kyma-oidc-${index}`, labels: { [labels.managedBy]: infrastructureManager } },
    spec: Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)),
  };
}

/** What the server fills in where nothing is said. */
const defaults: Readonly<Record<string, unknown>> = {
  usernameClaim: "sub",
  supportedSigningAlgs: ["RS256"],
  jwks: { distributedClaims: true },
};

function isSame(current: AnyObject, wanted: AnyObject): boolean {
  return jsonEqual(withDefaults(current["spec"]), withDefaults(wanted["spec"]));
}

function withDefaults(spec: unknown): Readonly<Record<string, unknown>> {
  const own = (spec ?? {}) as Readonly<Record<string, unknown>>;
  return { ...defaults, ...own, jwks: { ...(defaults["jwks"] as object), ...(own["jwks"] as object | undefined) } };
}
