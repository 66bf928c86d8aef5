import type { ComponentVersion, Descriptor } from "../../modules/descriptor.ts";
import type { PlanSettings } from "../../modules/wanted-manifest.ts";

/** Settings of the controller of mandatory modules. */
export interface MandatorySettings extends PlanSettings {
  /** Where Kymas, Manifests and the catalog live. */
  readonly namespace: string;
  /** Safety net after a pass without failure, in milliseconds. */
  readonly requeueMs: number;
  /** Spread of passes after a change of a ModuleReleaseMeta; 0 means at once. */
  readonly rolloutMaxDelayMs: number;
  readonly concurrency: number;
  readonly backoff: { readonly firstMs: number; readonly maxMs: number };
}

export interface MandatoryOptions {
  readonly settings: MandatorySettings;
  /** Where component descriptors come from. It remembers what it has fetched, and throws what it cannot get. */
  readonly descriptors: { get(id: ComponentVersion, signal: AbortSignal): Promise<Descriptor> };
  /** Numbers from 0 to 1, for the spread of passes. */
  readonly random: () => number;
}
