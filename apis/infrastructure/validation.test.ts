import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { assert, integer, property } from "fast-check";
import { overlaps, parseNetwork } from "./cidr.ts";
import {
  type Runtime,
  type RuntimeShoot,
  requiredRuntimeLabels,
  validateRuntime,
  validateRuntimeUpdate,
} from "./index.ts";
import type { Worker } from "./worker.ts";

const worker: Worker = {
  name: "cpu-worker-0",
  machine: { type: "m6i.large" },
  minimum: 3,
  maximum: 20,
  zones: ["eu-central-1a", "eu-central-1b"],
  volume: { type: "gp3", size: "80Gi" },
};

function sample(shoot: Partial<RuntimeShoot> = {}): Runtime {
  return {
    apiVersion: "infrastructuremanager.kyma-project.io/v1",
    kind: "Runtime",
    metadata: { name: "r", labels: Object.fromEntries(requiredRuntimeLabels.map((key) => [key, "x"])) },
    spec: {
      shoot: {
        name: "c-1",
        purpose: "production",
        platformRegion: "cf-eu10",
        region: "eu-central-1",
        secretBindingName: "aws-binding",
        kubernetes: {},
        networking: { type: "calico", nodes: "10.250.0.0/16", pods: "10.96.0.0/13", services: "10.104.0.0/13" },
        provider: { type: "aws", workers: [worker] },
        ...shoot,
      },
      security: { administrators: ["admin@example.test"], networking: { filter: { egress: { enabled: false } } } },
    },
  };
}

const withWorker = (edit: Partial<Worker>): Runtime =>
  sample({ provider: { type: "aws", workers: [{ ...worker, ...edit }] } });
const networking = sample().spec.shoot.networking;

describe("validateRuntime", () => {
  test("accepts a complete Runtime", () => {
    deepEqual(validateRuntime(sample(), { projectName: "kyma-dev" }), []);
  });

  const p = "spec.shoot.provider";
  const cases: readonly (readonly [string, Runtime, string])[] = [
    ["a name that is too long with its project", sample({ name: "a-name-of-21-chars-xx" }), "spec.shoot.name"],
    ["a name with two hyphens", sample({ name: "a--b" }), "spec.shoot.name"],
    ["an unknown purpose", sample({ purpose: "infrastructure" }), "spec.shoot.purpose"],
    ["a missing network type", sample({ networking: { ...networking, type: "" } }), "spec.shoot.networking.type"],
    [
      "nodes with host bits",
      sample({ networking: { ...networking, nodes: "10.250.0.1/16" } }),
      "spec.shoot.networking.nodes",
    ],
    [
      "nodes that are too small",
      sample({ networking: { ...networking, nodes: "10.250.0.0/25" } }),
      "spec.shoot.networking.nodes",
    ],
    [
      "pods inside nodes",
      sample({ networking: { ...networking, pods: "10.250.0.0/20" } }),
      "spec.shoot.networking.pods",
    ],
    [
      "two main pools",
      sample({ provider: { type: "aws", workers: [worker, { ...worker, name: "b" }] } }),
      `${p}.workers`,
    ],
    [
      "a pool name used twice",
      sample({ provider: { type: "aws", workers: [worker], additionalWorkers: [worker] } }),
      `${p}.additionalWorkers[0].name`,
    ],
    ["a pool name that is too long", withWorker({ name: "sixteen-letters0" }), `${p}.workers[0].name`],
    ["a pool without a machine type", withWorker({ machine: { type: "" } }), `${p}.workers[0].machine.type`],
    ["fewer nodes than zones", withWorker({ minimum: 0, maximum: 1 }), `${p}.workers[0].maximum`],
    ["no node for system components", withWorker({ systemComponents: { allow: false } }), p],
    ["a zone without a name", withWorker({ zones: ["a", ""] }), `${p}.workers[0].zones`],
    ["no region", sample({ region: "" }), "spec.shoot.region"],
    ["no binding", sample({ secretBindingName: "" }), "spec.shoot.secretBindingName"],
    ["no zone on AWS", withWorker({ zones: [] }), `${p}.workers[0].zones`],
    ["a zone twice", withWorker({ zones: ["a", "a"] }), `${p}.workers[0].zones`],
    ["more zones than the network has places for", withWorker({ zones: "abcdefghi".split("") }), p],
    ["a maximum below the minimum", withWorker({ maximum: 2 }), `${p}.workers[0].maximum`],
    [
      "neither surge nor unavailable",
      withWorker({ maxSurge: 0, maxUnavailable: "0%" }),
      `${p}.workers[0].maxUnavailable`,
    ],
    ["a volume size without a unit", withWorker({ volume: { size: "80" } }), `${p}.workers[0].volume.size`],
    [
      "an Azure zone that is no number",
      sample({ provider: { type: "azure", workers: [worker] } }),
      `${p}.workers[0].zones`,
    ],
    [
      "an identity provider without an issuer",
      sample({ kubernetes: { kubeAPIServer: { additionalOidcConfig: [{ clientID: "a" }] } } }),
      "spec.shoot.kubernetes.kubeAPIServer.additionalOidcConfig[0].issuerURL",
    ],
    [
      "an identity provider that anyone can read along with",
      sample({
        kubernetes: {
          kubeAPIServer: { additionalOidcConfig: [{ clientID: "a", issuerURL: "http://a.example.test" }] },
        },
      }),
      "spec.shoot.kubernetes.kubeAPIServer.additionalOidcConfig[0].issuerURL",
    ],
    [
      "a CA bundle that is no certificate",
      sample({ kubernetes: { kubeAPIServer: { oidcConfig: { caBundle: "abc" } } } }),
      "spec.shoot.kubernetes.kubeAPIServer.oidcConfig.caBundle",
    ],
    [
      "an unknown failure tolerance",
      sample({ controlPlane: { highAvailability: { failureTolerance: { type: "region" } } } }),
      "spec.shoot.controlPlane.highAvailability.failureTolerance.type",
    ],
  ];
  for (const [name, runtime, field] of cases) {
    test(`refuses ${name}, naming the field`, () => {
      const problems = validateRuntime(runtime, { projectName: "kyma-dev" });
      deepEqual(
        problems.map((problem) => problem.field),
        [field],
      );
    });
  }

  test("names the first required label that is missing", () => {
    const runtime = sample();
    delete runtime.metadata.labels?.["kyma-project.io/region"];
    deepEqual(validateRuntime(runtime), [
      { field: "metadata.labels", message: "missing required label kyma-project.io/region" },
    ]);
  });

  test("refuses an administrator without a name", () => {
    const runtime = sample();
    const spec = { ...runtime.spec, security: { ...runtime.spec.security, administrators: ["a", " "] } };
    deepEqual(
      validateRuntime({ ...runtime, spec }).map(({ field }) => field),
      ["spec.security.administrators[1]"],
    );
  });
});

describe("validateRuntimeUpdate", () => {
  test("accepts a change of the pools", () => {
    deepEqual(validateRuntimeUpdate(sample(), withWorker({ maximum: 30 })), []);
  });

  test("names each field that must stay", () => {
    const next = sample({ region: "us-east-1", networking: { ...networking, nodes: "10.251.0.0/16" } });
    deepEqual(validateRuntimeUpdate(sample(), next), [
      { field: "spec.shoot.region", message: 'cannot be changed from "eu-central-1" to "us-east-1"' },
      { field: "spec.shoot.networking.nodes", message: 'cannot be changed from "10.250.0.0/16" to "10.251.0.0/16"' },
    ]);
  });
});

describe("what may be set once", () => {
  const tolerance = (type: string): Runtime =>
    sample({ controlPlane: { highAvailability: { failureTolerance: { type } } } });
  const field = "spec.shoot.controlPlane.highAvailability.failureTolerance.type";
  const withId = (id: string): Runtime => {
    const runtime = sample();
    return { ...runtime, metadata: { labels: { ...runtime.metadata.labels, "kyma-project.io/runtime-id": id } } };
  };
  const cases: readonly (readonly [string, Runtime, Runtime, readonly string[]])[] = [
    ["a tolerance may come", sample(), tolerance("zone"), []],
    ["a tolerance does not go", tolerance("zone"), sample(), [`${field}: cannot be changed from "zone" to nothing`]],
    ["a tolerance stays", tolerance("node"), tolerance("zone"), [`${field}: cannot be changed from "node" to "zone"`]],
    [
      "the id that the Shoot goes by stays",
      withId("a"),
      withId("b"),
      ['metadata.labels[kyma-project.io/runtime-id]: cannot be changed from "a" to "b"'],
    ],
  ];
  for (const [name, old, next, expected] of cases) {
    test(name, () => {
      const problems = validateRuntimeUpdate(old, next);
      deepEqual(
        problems.map((problem) => `${problem.field}: ${problem.message}`),
        expected,
      );
    });
  }
});

describe("networks", () => {
  test("only canonical IPv4 networks are read", () => {
    const refused = [
      "10.0.0.0",
      "10.0.0.0/33",
      "10.0.0.1/16",
      "010.0.0.0/8",
      "256.0.0.0/8",
      "fd00::/64",
      "10.0.0.0/08",
    ];
    for (const text of refused) equal(parseNetwork(text), undefined, text);
  });

  test("a network overlaps every network inside it and none beside it", () => {
    assert(
      property(integer({ min: 0, max: 254 }), integer({ min: 17, max: 30 }), (byte, prefix) => {
        const whole = parseNetwork(`10.${byte}.0.0/16`);
        const inside = parseNetwork(`10.${byte}.0.0/${prefix}`);
        const beside = parseNetwork(`10.${byte + 1}.0.0/${prefix}`);
        if (whole === undefined || inside === undefined || beside === undefined) return false;
        return overlaps(whole, inside) && overlaps(inside, whole) && !overlaps(whole, beside);
      }),
      { numRuns: 200 },
    );
  });
});
