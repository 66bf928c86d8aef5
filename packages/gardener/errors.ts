import { defineErrors } from "@kyma-operators/errors";

/** What Gardener's provider extensions would refuse. The texts are what operators of the original already search for. */
export const gardenerErrors = defineErrors("GARDENER", {
  PROVIDER_NOT_SUPPORTED: {
    retry: "on-change",
    text: (d: { provider: string }) => `provider not supported: spec.shoot.provider.type is "${d.provider}"`,
  },
  NODES_NOT_A_CIDR: {
    retry: "on-change",
    text: (d: { nodes: string }) => `failed to parse worker network CIDR: "${d.nodes}" is no IPv4 network`,
  },
  NODES_PREFIX: {
    retry: "on-change",
    text: (d: { nodes: string; expected: string }) => `CIDR prefix length must be ${d.expected}, found ${d.nodes}`,
  },
  ZONE_COUNT: {
    retry: "on-change",
    text: (d: { minimum: number; found: number }) =>
      `Number of networking zones must be between ${d.minimum} and 8, found ${d.found}`,
  },
  ZONE_NAME_NOT_A_NUMBER: {
    retry: "on-change",
    text: (d: { zone: string }) => `failed to convert zone names: failed to convert zone name ${d.zone} to int`,
  },
  ZONE_NAME_OUT_OF_RANGE: {
    retry: "on-change",
    text: (d: { zone: string }) =>
      `failed to convert zone names: zone name ${d.zone} is not valid, must be between 1 and 8`,
  },
  ZONE_DUPLICATED: {
    retry: "on-change",
    text: (d: { zone: string }) => `zone name ${d.zone} is duplicated`,
  },
  ZONES_EMPTY: {
    retry: "on-change",
    text: () => "zones list is empty",
  },
  SUBNET_OUTSIDE: {
    retry: "on-change",
    text: (d: { kind: string; zone: string; subnet: string; nodes: string }) =>
      `failed to get ${d.kind} CIDR for zone ${d.zone}: calculated subnet CIDR ${d.subnet} ` +
      `is not contained in main worker CIDR ${d.nodes}`,
  },
  ZONES_FULL: {
    retry: "on-change",
    text: (d: { zone: string; nodes: string }) => `no free subnet for zone ${d.zone} in node network ${d.nodes}`,
  },
});
