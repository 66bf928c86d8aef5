import { deepEqual, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { objectAt } from "../json.ts";
import { narrowSubnets } from "./aws.ts";
import { providerFor } from "./index.ts";

const nodes = "10.250.0.0/16";
const none = {};

function zonesOf(configs: { readonly infrastructureConfig: unknown }): unknown {
  return objectAt(configs.infrastructureConfig, "networks")["zones"];
}

test("subnets that AWS does not make are named", () => {
  const subnets = (network: string, zones: readonly string[]): readonly string[] =>
    narrowSubnets(providerFor("aws").create(network, zones).infrastructureConfig);
  deepEqual(subnets("10.250.0.0/22", ["a", "b", "c", "d"]), []);
  deepEqual(subnets("10.250.0.0/23", ["a", "b", "c"]), []);
  deepEqual(subnets("10.250.0.0/23", ["a", "b", "c", "d"]), ["10.250.1.128/29", "10.250.1.136/29", "10.250.1.144/29"]);
});

describe("P20: aws", () => {
  const first = { name: "a", workers: "10.250.0.0/19", public: "10.250.32.0/20", internal: "10.250.48.0/20" };
  const existing = {
    infrastructureConfig: {
      networks: {
        vpc: { id: "vpc-1", gatewayEndpoints: ["s3"] },
        zones: [{ ...first, elasticIPAllocationID: "eipalloc-1" }],
      },
      ignoreTags: { keys: ["owner"] },
      enableECRAccess: true,
      dualStack: { enabled: true },
    },
    controlPlaneConfig: {},
  };

  test("a new zone leaves the VPC, foreign settings and existing zones alone", () => {
    const { infrastructureConfig } = providerFor("aws").extend(existing, nodes, ["a", "b"]);

    deepEqual(infrastructureConfig, {
      apiVersion: "aws.provider.extensions.gardener.cloud/v1alpha1",
      kind: "InfrastructureConfig",
      networks: {
        vpc: { id: "vpc-1", gatewayEndpoints: ["s3"] },
        zones: [
          { ...first, elasticIPAllocationID: "eipalloc-1" },
          { name: "b", workers: "10.250.64.0/19", public: "10.250.96.0/20", internal: "10.250.112.0/20" },
        ],
      },
      ignoreTags: { keys: ["owner"] },
      enableECRAccess: true,
      dualStack: { enabled: true },
    });
  });

  test("duplicate zones of the Shoot are refused", () => {
    const infrastructureConfig = { networks: { zones: [first, first] } };
    throws(() => providerFor("aws").extend({ ...existing, infrastructureConfig }, nodes, ["b"]), {
      code: "GARDENER_ZONE_DUPLICATED",
    });
  });

  test("a ninth zone finds no place", () => {
    const zones = Array.from({ length: 8 }, (_, index) => `z${index}`);
    const full = providerFor("aws").create(nodes, zones);
    throws(() => providerFor("aws").extend(full, nodes, [...zones, "z8"]), { code: "GARDENER_ZONES_FULL" });
  });

  test("alicloud has worker subnets only", () => {
    deepEqual(zonesOf(providerFor("alicloud").create(nodes, ["a"])), [{ name: "a", workers: "10.250.0.0/19" }]);
  });
});

describe("P23: azure", () => {
  const natGateway = { enabled: true, idleConnectionTimeoutMinutes: 10 };
  const zone = { name: 2, cidr: "10.250.0.0/19", natGateway, serviceEndpoints: ["Microsoft.Storage"] };
  const existing = {
    infrastructureConfig: {
      resourceGroup: { name: "rg" },
      networks: { vnet: { name: "v" }, natGateway, serviceEndpoints: ["x"], workers: nodes, zones: [zone] },
      zoned: true,
    },
    controlPlaneConfig: none,
  };

  test("a new zone keeps group, network, endpoints and gateways on both levels", () => {
    const { infrastructureConfig } = providerFor("azure").extend(existing, nodes, ["2", "1"]);

    deepEqual(infrastructureConfig, {
      apiVersion: "azure.provider.extensions.gardener.cloud/v1alpha1",
      kind: "InfrastructureConfig",
      networks: {
        vnet: { name: "v" },
        serviceEndpoints: ["x"],
        natGateway,
        workers: nodes,
        zones: [
          zone,
          { name: 1, cidr: "10.250.32.0/19", natGateway: { enabled: true, idleConnectionTimeoutMinutes: 4 } },
        ],
      },
      zoned: true,
      resourceGroup: { name: "rg" },
    });
  });

  test("P16: an old cluster without zones stays as it is", () => {
    const zoneless = {
      infrastructureConfig: { networks: { vnet: { cidr: nodes } }, zoned: false },
      controlPlaneConfig: none,
    };
    deepEqual(providerFor("azure").extend(zoneless, nodes, ["1", "4"]), zoneless);
  });

  test("P22: duplicates and node networks of the wrong size are refused", () => {
    const azure = providerFor("azure");
    throws(() => azure.create(nodes, ["1", "1"]), { code: "GARDENER_ZONE_DUPLICATED" });
    throws(() => azure.create("10.250.0.0/25", ["1"]), { code: "GARDENER_NODES_PREFIX" });
    throws(() => azure.create("10.0.0.0/15", []), { code: "GARDENER_NODES_PREFIX" });
    throws(() => azure.extend(existing, "", ["2", "1"]), { code: "GARDENER_NODES_NOT_A_CIDR" });
  });

  test("P21: no zone gives an unzoned network", () => {
    const { infrastructureConfig } = providerFor("azure").create("10.250.0.0/22", []);
    deepEqual(infrastructureConfig["networks"], { vnet: { cidr: "10.250.0.0/22" } });
    deepEqual(infrastructureConfig["zoned"], false);
  });
});

describe("P24, P25: gcp and openstack", () => {
  test("the control plane of gcp goes to the first zone and stays there", () => {
    const gcp = providerFor("gcp");
    const created = gcp.create(nodes, ["b", "a"]);
    deepEqual(created.controlPlaneConfig["zone"], "b");
    deepEqual(gcp.extend(created, nodes, ["a", "c"]).controlPlaneConfig["zone"], "b");
    throws(() => gcp.create(nodes, []), { code: "GARDENER_ZONES_EMPTY", message: "zones list is empty" });
  });

  test("a VPC that someone brought along survives a new zone", () => {
    const infrastructureConfig = { networks: { vpc: { name: "own" }, workers: nodes } };
    const { infrastructureConfig: next } = providerFor("gcp").extend(
      { infrastructureConfig, controlPlaneConfig: none },
      nodes,
      ["a"],
    );
    deepEqual(objectAt(next, "networks", "vpc"), { name: "own" });
  });

  test("openstack gets its floating pool and load balancer", () => {
    const { infrastructureConfig, controlPlaneConfig } = providerFor("openstack").create(nodes, []);
    deepEqual(infrastructureConfig["floatingPoolName"], "FloatingIP-external-kyma-01");
    deepEqual(infrastructureConfig["networks"], { workers: nodes });
    deepEqual(controlPlaneConfig["loadBalancerProvider"], "f5");
  });
});

test("P4: an unknown provider is refused by name", () => {
  throws(() => providerFor("gdch"), {
    code: "GARDENER_PROVIDER_NOT_SUPPORTED",
    message: 'provider not supported: spec.shoot.provider.type is "gdch"',
  });
});
