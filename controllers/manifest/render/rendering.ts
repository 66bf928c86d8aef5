import type { AnyObject } from "@kyma-operators/kube";

/** What a chart may know of the cluster it is rendered for. */
export interface Capabilities {
  /** `v1.33.1`. */
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
}

/** What a source is rendered with. */
export interface RenderInput {
  readonly releaseName: string;
  readonly namespace: string;
  readonly values: () => Promise<Readonly<Record<string, unknown>>>;
  readonly capabilities: () => Promise<Capabilities>;
}

/** When a hook runs. */
export type HookPhase =
  | "pre-install"
  | "post-install"
  | "pre-upgrade"
  | "post-upgrade"
  | "pre-delete"
  | "post-delete"
  | "test";

/** What happens to a hook's object when the hook is about to run again, succeeded or failed. */
export type HookDeletion = "before-hook-creation" | "hook-succeeded" | "hook-failed";

/** An object that is not part of the installation but runs at certain moments of it. */
export interface Hook {
  readonly object: AnyObject;
  readonly phases: readonly HookPhase[];
  /** Lower runs first. */
  readonly weight: number;
  readonly deletion: readonly HookDeletion[];
}

/** What a source renders to, before the transforms. Shared between Manifests: never changed. */
export interface Rendering {
  readonly objects: readonly AnyObject[];
  readonly hooks: readonly Hook[];
}
