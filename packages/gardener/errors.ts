import { defineErrors } from "@kyma-operators/errors";

/** What Gardener's provider extensions would refuse. The texts are what operators of the original already search for. */
export const gardenerErrors = defineErrors("GARDENER", {
  /** Clusters are built on aws, azure, gcp, openstack and alicloud; choose one of them. */
  PROVIDER_NOT_SUPPORTED: {
    retry: "on-change",
    text: (d: { provider: string }) => `provider not supported: spec.shoot.provider.type is "${d.provider}"`,
  },
  /** The network of the nodes can not be read; write it as 10.250.0.0/16. */
  NODES_NOT_A_CIDR: {
    retry: "on-change",
    text: (d: { nodes: string }) => `failed to parse worker network CIDR: "${d.nodes}" is no IPv4 network`,
  },
  /** The network of the nodes is too small or too large for its subnets; choose another prefix length. */
  NODES_PREFIX: {
    retry: "on-change",
    text: (d: { nodes: string; expected: string }) => `CIDR prefix length must be ${d.expected}, found ${d.nodes}`,
  },
  /** The pools name too many zones, or none; the network is cut by zone into at most eight parts. */
  ZONE_COUNT: {
    retry: "on-change",
    text: (d: { minimum: number; found: number }) =>
      `Number of networking zones must be between ${d.minimum} and 8, found ${d.found}`,
  },
  /** Azure counts its zones; name them by their number. */
  ZONE_NAME_NOT_A_NUMBER: {
    retry: "on-change",
    text: (d: { zone: string }) => `failed to convert zone names: failed to convert zone name ${d.zone} to int`,
  },
  /** Azure counts its zones from 1 to 8; name one of them. */
  ZONE_NAME_OUT_OF_RANGE: {
    retry: "on-change",
    text: (d: { zone: string }) =>
      `failed to convert zone names: zone name ${d.zone} is not valid, must be between 1 and 8`,
  },
  /** The network has one subnet for each zone; name each zone once. */
  ZONE_DUPLICATED: {
    retry: "on-change",
    text: (d: { zone: string }) => `zone name ${d.zone} is duplicated`,
  },
  /** The control plane needs a zone; name one in the main pool. */
  ZONES_EMPTY: {
    retry: "on-change",
    text: () => "zones list is empty",
  },
  /** The network of the nodes has no room for so many zones; choose a larger one, or fewer zones. */
  SUBNET_OUTSIDE: {
    retry: "on-change",
    text: (d: { kind: string; zone: string; subnet: string; nodes: string }) =>
      `failed to get ${d.kind} CIDR for zone ${d.zone}: calculated subnet CIDR ${d.subnet} ` +
      `is not contained in main worker CIDR ${d.nodes}`,
  },
  /** Every subnet of the network of the nodes is taken; use the zones that the Shoot has. */
  ZONES_FULL: {
    retry: "on-change",
    text: (d: { zone: string; nodes: string }) => `no free subnet for zone ${d.zone} in node network ${d.nodes}`,
  },
});
