import { annotations } from "./annotations.ts";
import type { apiVersion } from "./group.ts";
import type { CustomResourcePolicy } from "./kyma.ts";
import { labels, labelValues } from "./labels.ts";
import type { Condition, EmbeddedObject, LabelSelector, LastOperation, Manager, ObjectMeta } from "./object.ts";
import type { State } from "./state.ts";

/** `spec.config`; deprecated and unused, its schema knows fewer types. */
export interface ConfigSpec {
  readonly repo?: string;
  readonly name?: string;
  readonly ref?: string;
  readonly type?: "helm-chart" | "oci-ref" | "kustomize" | "";
  readonly credSecretSelector?: LabelSelector;
}

export interface ManifestSpec {
  /** Deprecated; read only for Manifests without the label `kyma-name`. */
  readonly remote: boolean;
  readonly version?: string;
  /** The source is open in the schema; `parseInstallSource` reads it. */
  readonly install: { readonly name: string; readonly source: Readonly<Record<string, unknown>> };
  readonly config?: ConfigSpec;
  readonly resource?: EmbeddedObject | null;
  readonly customResourcePolicy?: CustomResourcePolicy;
  readonly localizedImages?: readonly string[];
  readonly manager?: Manager;
}

/** An object that was applied to the remote cluster. */
export interface SyncedObject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** What the last apply of one object left behind. */
export interface InventoryEntry {
  /** `namespace/name/group/version/kind`; the namespace may be empty. */
  readonly id: string;
  /** Digest of the object as it was applied. */
  readonly digest: string;
  /** Digest of the fields that the API server counts as ours; edits by others change it. */
  readonly owned?: string;
}

/** A migration between two module versions that is not finished. */
export interface MigrationProgress {
  readonly from?: string;
  readonly to: string;
  /** Names of the steps that have run to their end. */
  readonly done?: readonly string[];
}

/** What we remember of our applies beyond `synced`. Upstream has no such field and leaves it alone. */
export interface ManifestInventory {
  /** Digest of everything the last complete pass depended on; the same digest now means that nothing is to do. */
  readonly fingerprint?: string;
  /** Digest of the rendered content and of what it was rendered with. */
  readonly source?: string;
  /** Digest of what the cluster served when a chart was rendered; absent where nothing depends on it. */
  readonly capabilities?: string;
  readonly objects?: readonly InventoryEntry[];
  /** Hooks that have run to their end. */
  readonly hooks?: readonly { readonly id: string; readonly digest: string }[];
  /** Module version that is completely installed. */
  readonly version?: string;
  readonly migration?: MigrationProgress;
  /** When the resources last stopped being ready, RFC 3339. */
  readonly waitingSince?: string;
}

export interface ManifestStatus {
  readonly state: State;
  readonly lastOperation?: LastOperation;
  readonly conditions?: readonly Condition[];
  readonly synced?: readonly SyncedObject[];
  readonly inventory?: ManifestInventory;
}

/** One module of one Kyma, to be applied to its remote cluster. */
export interface Manifest {
  apiVersion: typeof apiVersion;
  kind: "Manifest";
  metadata: ObjectMeta;
  spec: ManifestSpec;
  status?: ManifestStatus;
}

export const manifestConditions = {
  Resources: {
    reason: "ResourcesAvailable",
    True: "resources are parsed and ready for use",
    False: "resources not parsed",
  },
  Installation: {
    reason: "Ready",
    True: "installation is ready and resources can be used",
    False: "installation is not ready",
  },
  ModuleCR: {
    reason: "ModuleCRCreated",
    True: "module CR was created",
    False: "module CR has not been created to SKR",
  },
} as const;

export type ManifestConditionType = keyof typeof manifestConditions;

/** True when everything on the remote cluster shall stay as it is. */
export function isUnmanaged(manifest: Manifest): boolean {
  return manifest.metadata.annotations?.[annotations.isUnmanaged] === labelValues.true;
}

export function isMandatory(manifest: Manifest): boolean {
  return manifest.metadata.labels?.[labels.mandatoryModule] === labelValues.true;
}

/** True when nobody shall touch this Manifest. Unlike for a Kyma, only the exact text `true` counts. */
export function isPaused(manifest: Manifest): boolean {
  return manifest.metadata.labels?.[labels.skipReconciliation] === labelValues.true;
}

/** True when the default resource of the module is ours to create and delete. */
export function ownsModuleResource(manifest: Manifest): boolean {
  const { customResourcePolicy = "CreateAndDelete", resource } = manifest.spec;
  return customResourcePolicy === "CreateAndDelete" && resource !== undefined && resource !== null;
}

/**
 * Key of the cluster that a Manifest of a Kyma goes to, `<kyma name>|<namespace>`. Undefined for a Manifest without
 * the label `kyma-name`.
 */
export function clusterKey({ metadata }: { readonly metadata: ObjectMeta }): string | undefined {
  const kyma = metadata.labels?.[labels.kymaName];
  return kyma === undefined ? undefined : `${kyma}|${metadata.namespace ?? ""}`;
}

/** Value of the annotation that names the owner of a remote object on the control plane. */
export function ownedBy({ metadata }: { readonly metadata: ObjectMeta }): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
