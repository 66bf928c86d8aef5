import { type Provider, typeMeta } from "./provider.ts";

const controlPlaneConfig = { ...typeMeta("openstack", "ControlPlaneConfig"), loadBalancerProvider: "f5" };

export const openstack: Provider = {
  create: (nodes) => ({
    infrastructureConfig: {
      ...typeMeta("openstack", "InfrastructureConfig"),
      floatingPoolName: "FloatingIP-external-kyma-01",
      networks: { workers: nodes },
    },
    controlPlaneConfig,
  }),
  // One subnet spans every zone of a region.
  extend: ({ infrastructureConfig }) => ({ infrastructureConfig, controlPlaneConfig }),
};
