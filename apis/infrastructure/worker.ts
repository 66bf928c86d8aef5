import type { JsonObject } from "./meta.ts";

/** A worker pool, structured as Gardener's. What the manager never looks at passes through untyped. */
export interface Worker {
  readonly name: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly machine: Machine;
  /** A number or a percentage. */
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
  readonly zones?: readonly string[];
  readonly volume?: {
    readonly name?: string;
    readonly type?: string;
    readonly size: string;
    readonly encrypted?: boolean;
  };
  readonly providerConfig?: JsonObject;
  readonly updateStrategy?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly JsonObject[];
  readonly caBundle?: string;
  readonly clusterAutoscaler?: JsonObject;
  readonly controlPlane?: JsonObject;
  readonly cri?: JsonObject;
  readonly dataVolumes?: readonly JsonObject[];
  readonly kubeletDataVolumeName?: string;
  readonly kubernetes?: JsonObject;
  readonly machineControllerManager?: JsonObject;
  readonly priority?: number;
  readonly sysctls?: Readonly<Record<string, string>>;
  readonly systemComponents?: { readonly allow: boolean };
}

export interface Machine {
  readonly type: string;
  readonly image?: MachineImage;
  readonly architecture?: string;
}

export interface MachineImage {
  readonly name: string;
  readonly version?: string;
  readonly providerConfig?: JsonObject;
}
