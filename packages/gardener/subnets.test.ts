import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { assert, integer, property, tuple } from "fast-check";
import { contains, formatNetwork, maskNetwork, overlap, parseNetwork } from "./cidr.ts";
import { freeSlot, zoneBlock, zoneLimit, zoneSubnets } from "./subnets.ts";

function network(text: string) {
  const parsed = parseNetwork(text);
  ok(parsed, text);
  return parsed;
}

const slots = Array.from({ length: zoneLimit }, (_, slot) => slot);
const nodeNetworks = tuple(integer({ min: 0, max: 2 ** 32 - 1 }), integer({ min: 16, max: 24 })).map(
  ([address, prefix]) => formatNetwork(maskNetwork({ address, prefix })),
);

describe("networks", () => {
  test("only four decimal numbers and a prefix length are read", () => {
    for (const text of [
      "",
      "10.0.0.0",
      "10.0.0/16",
      "010.0.0.0/8",
      "10.0.0.0/33",
      "256.0.0.0/8",
      "::/0",
      "888.888.888.0/77",
    ]) {
      equal(parseNetwork(text), undefined, text);
    }
  });

  test("what is formatted is read back", () => {
    assert(
      property(integer({ min: 0, max: 2 ** 32 - 1 }), integer({ min: 0, max: 32 }), (address, prefix) => {
        deepEqual(parseNetwork(formatNetwork({ address, prefix })), { address, prefix });
      }),
    );
  });

  test("E31: a subnet is inside its network and nowhere else", () => {
    const whole = network("10.250.0.0/16");
    equal(contains(whole, network("10.250.32.0/20")), true);
    equal(contains(whole, network("10.251.0.0/20")), false);
    equal(contains(network("10.250.32.0/20"), whole), false);
    equal(overlap(network("10.250.32.0/20"), whole), true);
  });
});

describe("zone subnets", () => {
  test("lie inside the node network and never overlap, for every prefix length", () => {
    assert(
      property(nodeNetworks, (nodes) => {
        const all = slots.flatMap((slot) => Object.values(zoneSubnets(nodes, slot, "z"))).map(network);
        ok(all.every((subnet) => contains(network(nodes), subnet)));
        ok(all.every((subnet, index) => all.slice(index + 1).every((other) => !overlap(subnet, other))));
      }),
    );
  });

  test("Azure blocks fill the node network in order", () => {
    assert(
      property(nodeNetworks, (nodes) => {
        const blocks = slots.map((slot) => network(zoneBlock(nodes, slot)));
        equal(blocks[0]?.address, network(nodes).address);
        ok(blocks.every((block, slot) => slot === 0 || !overlap(block, blocks[slot - 1] ?? block)));
        ok(blocks.every((block) => contains(network(nodes), block)));
      }),
    );
  });

  test("a node address in the middle of its network is refused where a subnet would leave it", () => {
    throws(() => zoneSubnets("10.250.128.0/16", 2, "z"), {
      code: "GARDENER_SUBNET_OUTSIDE",
      message:
        "failed to get workers CIDR for zone z: calculated subnet CIDR 10.251.0.0/19 is not contained in main worker CIDR 10.250.128.0/16",
    });
  });
});

describe("freeSlot", () => {
  const nodes = "10.250.0.0/16";
  const where = { zone: "z", nodes };
  const subnetsOf = (slot: number): readonly string[] => Object.values(zoneSubnets(nodes, slot, "z"));

  test("takes the first slot that no existing subnet touches", () => {
    equal(freeSlot([], subnetsOf, where), 0);
    equal(freeSlot([...subnetsOf(0), ...subnetsOf(1)], subnetsOf, where), 2);
    equal(freeSlot(["10.250.0.0/17"], subnetsOf, where), 2);
  });

  test("says so when there is none", () => {
    throws(() => freeSlot([nodes], subnetsOf, where), { code: "GARDENER_ZONES_FULL" });
  });
});
