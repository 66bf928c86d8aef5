import { ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject, Client } from "@kyma-operators/kube";
import { createManager, type LeaseGroup } from "@kyma-operators/runtime";
import { formatYaml } from "@kyma-operators/yaml";
import type { Manifest } from "../../apis/operator/manifest.ts";
import {
  accessSecret,
  endState,
  everyFault,
  kymaObject,
  type Life,
  manifestObject,
  memoryDirectory,
  ourCrds,
  type Story,
  sampleModule,
  sampleVersions,
  type TestCluster,
} from "../../testing/index.ts";
import { addManifestController } from "./controller.ts";

const api = "operator.kyma-project.io/v1beta2";
const namespace = "kcp-system";
/** Slower than in production, so that a run is not made of renewals. */
const lease: LeaseGroup = {
  name: "sim",
  namespace,
  durationMs: 600_000,
  renewDeadlineMs: 500_000,
  retryPeriodMs: 200_000,
};
const healMs = 1_300_000;
const driftCheckMs = 120_000;
/** Every story is played some dozens of times; a busy machine takes its time. */
const testTimeoutMs = 600_000;

/** What the registry and the disk hold survives the process. */
const content = memoryDirectory();
const layer = (objects: readonly AnyObject[]): string =>
  content.put(objects.map((object) => formatYaml(object)).join("---\n"));
const refs = { 1: layer(sampleVersions[1]), 2: layer(sampleVersions[2]) };

const job = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "convert", namespace: "kyma-system" },
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "convert" }] } } },
};
const target = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "data", namespace: "kyma-system" } };
const migrations = content.put(
  JSON.stringify({
    steps: [
      { name: "mark", version: "2.0.0", patch: { target, merge: { data: { layout: "new" } } } },
      { name: "convert", version: "2.0.0", job },
      { name: "tidy", version: "2.0.0", when: "after", patch: { target, merge: { data: { old: null } } } },
    ],
  }),
);

type Target = "local" | "remote";

/** Runs the controller as the operator does. Both targets are served by one API server, reached in different ways. */
async function program({ client, clock, random, identity, signal }: Life): Promise<void> {
  const manager = createManager({
    client,
    clock,
    random,
    identity,
    leases: [lease],
    freeze: true,
    relistMs: healMs / 2,
  });
  addManifestController(manager.context(lease.name), {
    namespace,
    content,
    clusters: { open: (): Client => client, evict: () => undefined },
    settings: { driftCheckMs },
  });
  await manager.run(signal);
}

async function setUp(cluster: TestCluster): Promise<void> {
  const namespaces = [namespace, "kyma-system"].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
  await cluster.apply(...namespaces, ...(await ourCrds()), { ...target, data: { old: "yes" } });
  await cluster.apply(accessSecret("one"), kymaObject("one", { channel: "regular" }));
  const modules = [{ name: "alpha", state: "Ready", manifest: { metadata: { name: "one-alpha", namespace } } }];
  const kymas = await cluster.resource(api, "Kyma");
  const ref = { resource: kymas, namespace, name: "one" };
  await cluster.client.mergePatch(ref, { status: { state: "Ready", modules } }, { subresource: "status" });
}

function install(where: Target) {
  const labels = where === "local" ? { "operator.kyma-project.io/module-name": "alpha" } : undefined;
  const source = {
    type: "oci-ref",
    repo: "registry.example.org",
    name: "example.org/module/alpha",
    ref: refs[1],
    migrations,
  };
  const spec = { version: "1.0.0", install: { name: "raw-manifest", source }, resource: sampleModule.customResource };
  return async (cluster: TestCluster): Promise<unknown> =>
    cluster.apply(manifestObject(refs[1], spec, labels === undefined ? {} : { labels }));
}

async function changeManifest(cluster: TestCluster, change: object): Promise<unknown> {
  const resource = await cluster.resource(api, "Manifest");
  return cluster.client.mergePatch({ resource, namespace, name: "one-alpha" }, change);
}

const upgrade = async (cluster: TestCluster): Promise<unknown> =>
  changeManifest(cluster, { spec: { version: "2.0.0", install: { source: { ref: refs[2] } } } });

async function remove(cluster: TestCluster, kind: readonly [string, string], name: string): Promise<unknown> {
  const resource = await cluster.resource(...kind);
  const where = resource.kind === "Manifest" ? namespace : "kyma-system";
  return cluster.client.delete({ resource, namespace: where, name }).catch(() => undefined);
}

/** A person changes one object and deletes another. */
async function meddle(cluster: TestCluster): Promise<unknown> {
  const resource = await cluster.resource("v1", "ConfigMap");
  const settings = { resource, namespace: "kyma-system", name: "settings" };
  await cluster.client.mergePatch(settings, { data: { version: "by hand" } }).catch(() => undefined);
  return remove(cluster, ["apps/v1", "Deployment"], "alpha");
}

async function manifestOf(cluster: TestCluster): Promise<Manifest | undefined> {
  return (await cluster.list(api, "Manifest").catch(() => []))[0] as Manifest | undefined;
}

async function isInstalled(cluster: TestCluster, version: 1 | 2): Promise<boolean> {
  const found = await manifestOf(cluster);
  return found?.metadata.annotations?.["sync-oci-ref"] === refs[version] && found.status?.state === "Ready";
}

async function settingsAre(cluster: TestCluster, version: string): Promise<boolean> {
  const deployments = await cluster.list("apps/v1", "Deployment");
  const maps = await cluster.list("v1", "ConfigMap");
  const settings = maps.find(({ metadata }) => metadata.name === "settings");
  return deployments.length === 1 && (settings?.["data"] as { version?: string } | undefined)?.version === version;
}

const kinds = [
  ["v1", "ConfigMap"],
  ["v1", "ServiceAccount"],
  ["apps/v1", "Deployment"],
  ["batch/v1", "Job"],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ["demo.example.org/v1", "Alpha"],
] as const;

/** Everything that is left of the story, without what tells of the way there. */
async function outcome(cluster: TestCluster): Promise<unknown> {
  const found = await Promise.all(
    kinds.map(async ([apiVersion, kind]) => cluster.list(apiVersion, kind).catch(() => [])),
  );
  const ours = found.flat().filter(({ metadata: { name = "" } }) => !/^kube-root-ca|kyma-project\.io$/.test(name));
  const objects = endState(ours).map(({ kind, metadata, data, spec }) => [kind, metadata, data, spec]);
  const manifest = await manifestOf(cluster);
  const { state, synced, inventory } = manifest?.status ?? {};
  const { finalizers, annotations } = manifest?.metadata ?? {};
  const digests = (inventory?.objects ?? []).map(({ id, digest }) => `${id} ${digest}`).toSorted();
  const { version, migration } = inventory ?? {};
  return { objects, state, synced, digests, version, migration, finalizers, ref: annotations?.["sync-oci-ref"] };
}

const calmOf = (
  where: Target,
): Pick<Story, "server" | "program" | "outcome" | "healMs" | "stepMs"> & { first: Story["steps"] } => ({
  first: [setUp, install(where)],
  server: { workload: {} },
  program,
  outcome,
  healMs,
  stepMs: 20_000,
});

const chapters: Readonly<Record<string, Pick<Story, "steps" | "finished">>> = {
  "an upgrade with migrations and a prune": { steps: [upgrade], finished: async (cluster) => isInstalled(cluster, 2) },
  "a change by hand": {
    steps: [meddle],
    finished: async (cluster) => (await isInstalled(cluster, 1)) && settingsAre(cluster, "1"),
  },
  "a deletion": {
    steps: [async (cluster) => remove(cluster, [api, "Manifest"], "one-alpha")],
    finished: async (cluster) => (await manifestOf(cluster)) === undefined,
  },
};

describe.each(["local", "remote"] as const)("with a %s target", (where) => {
  for (const [name, { steps, finished }] of Object.entries(chapters)) {
    test(
      `an installation and ${name} end as in a calm run, whatever crashes or gets lost`,
      async () => {
        const { first, ...story } = calmOf(where);
        const { runs } = await everyFault({ ...story, steps: [...first, ...steps], finished }, { eventStride: 11 });
        ok(runs > 10, `${runs} runs`);
      },
      testTimeoutMs,
    );
  }
});
