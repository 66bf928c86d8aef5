import { gardenerErrors } from "../errors.ts";
import { type JsonObject, objectAt } from "../json.ts";
import { kept, type Provider, type ProviderConfigs, typeMeta } from "./provider.ts";

function configs(nodes: string, zone: unknown, vpc: JsonObject): ProviderConfigs {
  return {
    infrastructureConfig: {
      ...typeMeta("gcp", "InfrastructureConfig"),
      // `worker` is the deprecated name of the same field; older extensions read only that.
      networks: { ...vpc, workers: nodes, worker: nodes },
    },
    controlPlaneConfig: { ...typeMeta("gcp", "ControlPlaneConfig"), zone },
  };
}

export const gcp: Provider = {
  create: (nodes, [zone]) => {
    if (zone === undefined) throw gardenerErrors.ZONES_EMPTY({});
    return configs(nodes, zone, {});
  },
  // One subnet spans every zone of a region. Neither the VPC nor the zone of the control plane can move.
  extend: ({ infrastructureConfig, controlPlaneConfig }, nodes, [first]) => {
    const vpc = kept(objectAt(infrastructureConfig, "networks"), ["vpc"]);
    return configs(nodes, controlPlaneConfig["zone"] ?? first, vpc);
  },
};
