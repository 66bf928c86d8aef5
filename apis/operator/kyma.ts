import type { apiVersion } from "./group.ts";
import { isLabelled, labels } from "./labels.ts";
import type { Condition, LastOperation, ObjectMeta } from "./object.ts";
import type { State } from "./state.ts";

export type CustomResourcePolicy = "CreateAndDelete" | "Ignore";

/** Channel of modules whose Kyma names none. */
export const defaultChannel = "regular";
/** Passes the schema, yet is refused. */
export const forbiddenChannel = "none";

/** A wanted module. The API server fills in `managed` and `customResourcePolicy`. */
export interface KymaModule {
  readonly name: string;
  readonly channel?: string;
  readonly controller?: string;
  readonly customResourcePolicy?: CustomResourcePolicy;
  readonly managed?: boolean;
  readonly remoteModuleTemplateRef?: string;
}

export interface KymaSpec {
  readonly channel: string;
  readonly skipMaintenanceWindows?: boolean;
  readonly modules?: readonly KymaModule[];
}

/** Points at an object without owning it. */
export interface TrackingObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly generation?: number };
}

export interface ModuleStatus {
  readonly name: string;
  readonly state: State;
  readonly fqdn?: string;
  readonly ocmComponentName?: string;
  readonly channel?: string;
  readonly version?: string;
  readonly message?: string;
  /** The Manifest; control plane only. */
  readonly manifest?: TrackingObject;
  /** The default resource on the remote cluster. */
  readonly resource?: TrackingObject;
  readonly template?: TrackingObject;
  /** A wanted upgrade waits for a maintenance window. */
  readonly maintenance?: boolean;
}

export interface KymaStatus {
  readonly state?: State;
  readonly activeChannel?: string;
  readonly conditions?: readonly Condition[];
  readonly modules?: readonly ModuleStatus[];
  readonly lastOperation?: LastOperation;
}

/** The modules wanted on one runtime cluster. */
export interface Kyma {
  apiVersion: typeof apiVersion;
  kind: "Kyma";
  metadata: ObjectMeta;
  spec: KymaSpec;
  status?: KymaStatus;
}

/** True when nobody shall touch this Kyma. A Kyma that is being deleted is processed all the same. */
export function isPaused(kyma: Kyma): boolean {
  return isLabelled(kyma, labels.skipReconciliation);
}

/** True when modules of this label (`beta` or `internal`) are allowed for the Kyma. */
export function isBeta(kyma: Kyma): boolean {
  return isLabelled(kyma, labels.beta);
}

export function isInternal(kyma: Kyma): boolean {
  return isLabelled(kyma, labels.internal);
}

/** The object with the defaults of its schema; the same object when all are set. */
export function withKymaDefaults(kyma: Kyma): Kyma {
  const modules = kyma.spec.modules;
  const complete = modules?.every((m) => m.managed !== undefined && m.customResourcePolicy !== undefined) ?? true;
  if (modules === undefined || complete) return kyma;
  const filled = modules.map((m) => ({ customResourcePolicy: "CreateAndDelete" as const, managed: true, ...m }));
  return { ...kyma, spec: { ...kyma.spec, modules: filled } };
}
