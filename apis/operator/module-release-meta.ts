import type { apiVersion } from "./group.ts";
import type { LabelSelector, ObjectMeta } from "./object.ts";

export interface ChannelVersion {
  readonly channel: string;
  readonly version: string;
}

/** The schema wants exactly one of `channels` and `mandatory`. */
export interface ModuleReleaseMetaSpec {
  /** Equals the name of the object, by which it is looked up. */
  readonly moduleName: string;
  /** Optional in the schema, needed to install the module. */
  readonly ocmComponentName?: string;
  readonly channels?: readonly ChannelVersion[];
  readonly mandatory?: { readonly version: string };
  /** Deprecated, without effect. */
  readonly beta?: boolean;
  /** Deprecated, without effect. */
  readonly internal?: boolean;
  /** Which Kymas may have a restricted module. */
  readonly kymaSelector?: LabelSelector;
}

/** Maps the channels of one module to versions. */
export interface ModuleReleaseMeta {
  apiVersion: typeof apiVersion;
  kind: "ModuleReleaseMeta";
  metadata: ObjectMeta;
  spec: ModuleReleaseMetaSpec;
}
