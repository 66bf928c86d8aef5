/** Finalizers; part of the API. */
export const finalizers = {
  kyma: "operator.kyma-project.io/Kyma",
  watcher: "operator.kyma-project.io/watcher",
  mandatoryModule: "operator.kyma-project.io/mandatory-module",
  manifest: "declarative.kyma-project.io/finalizer",
  labelRemoval: "label-removal-finalizer",
  moduleResource: "resource.kyma-project.io/finalizer",
  /** Left behind by old releases; stripped, never added. */
  purge: "operator.kyma-project.io/purge-finalizer",
  foregroundDeletion: "foregroundDeletion",
} as const;

/** Field managers of our server-side applies. */
export const fieldManagers = {
  operator: "operator.kyma-project.io/lifecycle-manager",
  lifecycleManager: "lifecycle-manager",
  manifestApplier: "declarative.kyma-project.io/applier",
  moduleResource: "resource.kyma-project.io/finalizer",
  catalogSync: "catalog-sync",
  kymaSyncContext: "kyma-sync-context",
} as const;
