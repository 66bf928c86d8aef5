/** Annotation keys; part of the API, odd prefixes included. */
const prefix = "operator.kyma-project.io/";

export const annotations = {
  /** On a Kyma: domain of its runtime, DNS name of the watcher certificate. */
  skrDomain: "skr-domain",
  /** On a Kyma: when its runtime last reported a change to a replica, which may be another one than the Kyma's. */
  remoteChangedAt: `${prefix}remote-changed-at`,
  /** On a Manifest: deprecated copy of the component name. */
  fqdn: `${prefix}fqdn`,
  ocmComponentName: `${prefix}ocm-component-name`,
  /** On a ModuleTemplate: the default resource has no namespace. */
  isClusterScoped: `${prefix}is-cluster-scoped`,
  /** On a Manifest: leave everything on the remote cluster as it is. */
  isUnmanaged: `${prefix}is-unmanaged`,
  injectDataFromKcp: `${prefix}inject-data-from-kcp`,
  disclaimer: `${prefix}managed-by-reconciler-disclaimer`,
  /** On remote objects: `<namespace>/<name>` of the owner on the control plane. */
  ownedBy: "deprecated-operator.kyma-project.io/owned-by",
  /** On a Manifest: the last reference that was installed completely. */
  syncOciRef: "sync-oci-ref",
  /** On the gateway Secret: when the newest CA entered the bundle, RFC 3339. */
  caAddedToBundleAt: "caAddedToBundleAt",
} as const;
