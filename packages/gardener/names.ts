const core = { group: "core.gardener.cloud", version: "v1beta1" } as const;

/** REST collections of the Gardener API. */
export const shootResource = { ...core, kind: "Shoot", plural: "shoots", namespaced: true } as const;
export const seedResource = { ...core, kind: "Seed", plural: "seeds", namespaced: false } as const;
export const cloudProfileResource = {
  ...core,
  kind: "CloudProfile",
  plural: "cloudprofiles",
  namespaced: false,
} as const;
export const projectResource = { ...core, kind: "Project", plural: "projects", namespaced: false } as const;
export const secretBindingResource = {
  ...core,
  kind: "SecretBinding",
  plural: "secretbindings",
  namespaced: true,
} as const;
export const exposureClassResource = {
  ...core,
  kind: "ExposureClass",
  plural: "exposureclasses",
  namespaced: false,
} as const;
export const credentialsBindingResource = {
  group: "security.gardener.cloud",
  version: "v1alpha1",
  kind: "CredentialsBinding",
  plural: "credentialsbindings",
  namespaced: true,
} as const;

export const shootApiVersion = "core.gardener.cloud/v1beta1";

/** Annotations with a meaning for Gardener. */
export const gardenerAnnotations = {
  /** `true`: the Shoot may be deleted. */
  confirmDeletion: "confirmation.gardener.cloud/deletion",
  /** `true`: give up on what can't be deleted. */
  confirmForceDeletion: "confirmation.gardener.cloud/force-deletion",
  /** `retry`, `reconcile`, …; Gardener removes it when it starts. */
  operation: "gardener.cloud/operation",
} as const;

/** Label that Gardener puts on every Seed. */
export const seedRegionLabel = "seed.gardener.cloud/region";

/** Namespace of a Gardener project. */
export function projectNamespace(project: string): string {
  return `garden-${project}`;
}
