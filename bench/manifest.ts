import { setTimeout as delay } from "node:timers/promises";
import { fieldManagers } from "../apis/operator/finalizers.ts";
import { type Fleet, smallModule, startFleet } from "./manifest-world.ts";
import { cpuSeconds, type Measurement, type RunOptions, type Workload } from "./measurement.ts";

/** P2: many Manifests to Ready, and beside it what the original does to keep them so. */
export const manifests: Workload = {
  name: "manifests",
  run: async ({ smoke }: RunOptions): Promise<readonly Measurement[]> => rollout(smoke ? 20 : 1_000),
};

async function rollout(count: number): Promise<readonly Measurement[]> {
  const fleet = await startFleet();
  const names = Array.from({ length: count }, (_, index) => `m-${index}`);
  await fleet.addKymas(new Map([["one", names]]));
  for (const name of names) await fleet.addManifest(name, "one", fleet.content.put(smallModule(name)));
  const started = cpuSeconds();
  fleet.start();
  while (fleet.count("Ready") < count) await delay(500);
  const seconds = cpuSeconds() - started;
  const asked = await requestsOfOneCheck(fleet);
  const cycle = await cycleOfTheOriginal(fleet);
  await fleet.stop();
  return [
    {
      id: "P2",
      what: `${count} Manifests (Deployment, ServiceAccount, Service, Ingress) to Ready`,
      value: seconds,
      unit: "CPU s",
      target: "≤ 30 s",
      ...(count >= 1_000 ? { met: seconds <= 30 } : {}),
    },
    {
      id: "P2",
      what: `one comparison of ${count} settled Manifests with their cluster`,
      value: asked,
      unit: "requests",
      target: "one per kind in half a minute",
      ...(count >= 1_000 ? { met: asked <= count / 100 } : {}),
      peer: { name: "one apply per object, as the original", value: cycle.requests },
      note: `the original's cycle takes ${cycle.seconds.toFixed(1)} CPU s`,
    },
  ];
}

/** An event of the cluster makes every Manifest compare it with its inventory. */
async function requestsOfOneCheck({ skr, controller }: Fleet): Promise<number> {
  const before = skr.requests.length;
  controller.remoteChanged("one");
  for (let seen = -1; seen !== skr.requests.length; await delay(2_000)) seen = skr.requests.length;
  return skr.requests.length - before;
}

/** What lifecycle-manager does every five minutes for every Manifest: it applies all objects again. */
async function cycleOfTheOriginal({ skr }: Fleet): Promise<{ readonly requests: number; readonly seconds: number }> {
  const client = skr.clientFor("twin");
  const kinds = [
    ["v1", "ServiceAccount"],
    ["v1", "Service"],
    ["networking.k8s.io/v1", "Ingress"],
    ["apps/v1", "Deployment"],
  ] as const;
  const started = cpuSeconds();
  let requests = 0;
  for (const [apiVersion, kind] of kinds) {
    const resource = await client.resourceFor(apiVersion, kind);
    const { items } = await client.list(resource, { labelSelector: "operator.kyma-project.io/managed-by=kyma" });
    for (const { metadata, spec } of items) {
      const { name, namespace, labels, annotations } = metadata;
      const object = { apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec };
      await client.apply(resource, object as never, { fieldManager: fieldManagers.manifestApplier, force: true });
      requests += 1;
    }
  }
  return { requests, seconds: cpuSeconds() - started };
}
