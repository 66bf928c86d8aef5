import type { Maintenance, TimeWindow } from "@kyma-operators/gardener";
import type { Runtime } from "../../../apis/infrastructure/index.ts";
import type { LandscapeConfig } from "./config.ts";

/** What Gardener may update by itself and when. Without a window of ours it picks one and keeps it. */
export function maintenanceOf({ spec }: Runtime, config: LandscapeConfig, window?: TimeWindow): Maintenance {
  const { enableKubernetesVersionAutoUpdate, enableMachineImageVersionAutoUpdate } = config.converter.kubernetes;
  return {
    autoUpdate: {
      kubernetesVersion: enableKubernetesVersionAutoUpdate,
      machineImageVersion: enableMachineImageVersionAutoUpdate,
    },
    ...(spec.shoot.purpose === "production" && window !== undefined ? { timeWindow: window } : {}),
  };
}
