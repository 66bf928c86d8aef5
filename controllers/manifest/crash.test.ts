import { deepEqual } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { ManifestWorld, sampleModule, sampleVersions } from "../../testing/index.ts";
import { addManifestController, type ManifestController } from "./controller.ts";

let world: ManifestWorld<ManifestController>;
const begin = async (): Promise<void> => {
  world = await ManifestWorld.start(({ context, ...options }) => addManifestController(context, options));
};
beforeEach(begin);
afterEach(async () => world.stop());

const { customResource: resource, configMap } = sampleModule;
/** Every story is played once per write; a busy machine takes its time. */
const testTimeoutMs = 240_000;

const kinds = [
  ["v1", "ConfigMap"],
  ["v1", "ServiceAccount"],
  ["apps/v1", "Deployment"],
  ["batch/v1", "Job"],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ["demo.example.org/v1", "Alpha"],
] as const;

/** Everything that is left of the story, without what tells of the way there. */
async function endState(): Promise<unknown> {
  const manifest = await world.manifest();
  const { state, synced, inventory } = manifest?.status ?? {};
  const objects = await Promise.all(kinds.map(remainsOf));
  const { finalizers, annotations } = manifest?.metadata ?? {};
  const digests = (inventory?.objects ?? []).map(({ id, digest }) => `${id} ${digest}`).toSorted();
  return JSON.parse(
    JSON.stringify({ objects, state, synced, digests, finalizers, ref: annotations?.["sync-oci-ref"] }),
  );
}

async function remainsOf([apiVersion, kind]: readonly [string, string]): Promise<unknown> {
  const found = await world.world.skr.list(apiVersion, kind).catch(() => []);
  return found
    .filter(
      ({ metadata: { name } }) => name !== "kube-root-ca.crt" && !(kind === "ServiceAccount" && name === "default"),
    )
    .map(({ metadata: { name, labels }, data, spec }) => [kind, name, labels, data, kind === "Deployment" ? spec : ""]);
}

interface Story {
  readonly name: string;
  readonly before: () => Promise<void>;
  readonly act: () => Promise<void>;
  readonly ended: () => Promise<boolean>;
}

const refOf = (version: "1" | "2"): string => world.layer(sampleVersions[version]);
const isInstalled = async (version: "1" | "2"): Promise<boolean> => {
  const manifest = await world.manifest();
  return manifest?.metadata.annotations?.["sync-oci-ref"] === refOf(version) && manifest.status?.state === "Ready";
};
const installed = async (): Promise<void> => {
  await world.install(refOf("1"), { resource });
  await world.until("Ready");
};

/** A patch and a Job before the new objects, a patch after them. */
const target = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "old", namespace: "kyma-system" } };
const job = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "convert", namespace: "kyma-system" },
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "convert" }] } } },
};
const after = { ...target, metadata: { ...target.metadata, name: "settings" } };
const steps = [
  { name: "mark", version: "2.0.0", patch: { target, merge: { data: { layout: "new" } } } },
  { name: "convert", version: "2.0.0", job },
  { name: "tidy", version: "2.0.0", when: "after", patch: { target: after, merge: { data: { migrated: "yes" } } } },
];

const stories: readonly Story[] = [
  {
    name: "installing",
    before: async () => undefined,
    act: async () => world.install(refOf("1"), { resource }),
    ended: async () => isInstalled("1"),
  },
  {
    name: "upgrading and pruning",
    before: installed,
    act: async () => world.upgrade(refOf("2")),
    ended: async () => isInstalled("2"),
  },
  {
    name: "migrating",
    before: async () => {
      await world.install(refOf("1"), { version: "1.0.0" });
      await world.until("Ready");
    },
    act: async () => {
      const migrations = world.layer(Buffer.from(JSON.stringify({ steps })));
      await world.patch({ spec: { version: "2.0.0", install: { source: { ref: refOf("2"), migrations } } } });
    },
    ended: async () => (await isInstalled("2")) && (await world.manifest())?.status?.inventory?.version === "2.0.0",
  },
  {
    name: "repairing drift",
    before: installed,
    act: async () => {
      await world.world.skr.apply(configMap("settings", { version: "by hand" }));
      await world.world.skr.client.delete({
        resource: await world.world.skr.resource("apps/v1", "Deployment"),
        namespace: "kyma-system",
        name: "alpha",
      });
      world.controller.remoteChanged("one");
    },
    ended: async () => {
      if (!(await world.names("apps/v1", "Deployment")).includes("alpha")) world.controller.remoteChanged("one");
      return (await world.names("apps/v1", "Deployment")).includes("alpha") && isInstalled("1");
    },
  },
  {
    name: "deleting",
    before: installed,
    act: async () => world.delete(),
    ended: async () => (await world.manifest()) === undefined,
  },
  {
    name: "handing over to the user",
    before: installed,
    act: async () => world.patch({ metadata: { annotations: { "operator.kyma-project.io/is-unmanaged": "true" } } }),
    ended: async () => (await world.manifest()) === undefined,
  },
];

describe("a crash after any write ends in the state of a calm run", () => {
  for (const { name, before, act, ended } of stories) {
    test(
      `while ${name}`,
      async () => {
        await before();
        await act();
        await world.world.clock.until(ended);
        const calm = await endState();

        for (let writes = 1; ; writes += 1) {
          await world.stop();
          await begin();
          await before();
          const budget = world.world.crashAfter(writes);
          await act();
          await world.world.clock.until(async () => budget.spent() || (await ended()));
          if (!budget.spent()) break;
          await world.restart();
          await world.world.clock.until(ended);
          deepEqual(await endState(), calm, `crash after write ${writes}`);
        }
      },
      testTimeoutMs,
    );
  }
});
