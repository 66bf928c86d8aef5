import { deepEqual, equal, match } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { writeTar } from "oras-js";
import type { ManifestSpec } from "../../../apis/operator/manifest.ts";
import { ManifestWorld, sampleModule } from "../../../testing/index.ts";
import { addManifestController, type ManifestController } from "../controller.ts";

let world: ManifestWorld<ManifestController>;
beforeEach(async () => {
  world = await ManifestWorld.start(({ context, ...options }) => addManifestController(context, options));
});
afterEach(async () => world.stop());

const { configMap } = sampleModule;
const pod = { containers: [{ name: "c", image: "hook" }], restartPolicy: "Never" };
/** The simulated cluster completes Jobs, unless their Pods say that they fail. */
const fails = { annotations: { "simulator.kyma-project.io/pod": "fail" } };
const job = (name: string, annotations: Record<string, string> = {}, template: object = {}): AnyObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, namespace: "kyma-system", annotations },
  spec: { backoffLimit: 0, template: { metadata: template, spec: pod } },
});
const hook = (name: string, when: string, more: Record<string, string> = {}, template: object = {}): AnyObject =>
  job(name, { "helm.sh/hook": when, ...more }, template);

const chart = (objects: readonly AnyObject[]): string => {
  const files = {
    "demo/Chart.yaml": "apiVersion: v2\nname: demo\nversion: 1.0.0\n",
    ...Object.fromEntries(objects.map((object, index) => [`demo/templates/${index}.yaml`, JSON.stringify(object)])),
  };
  return world.layer(writeTar(Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) }))));
};
const spec = (ref: string, more: object = {}): Partial<ManifestSpec> => ({
  install: {
    name: "demo",
    source: { type: "helm-chart", repo: "registry.example.org", name: "example.org/module/alpha", ref, ...more },
  },
});

/** Kinds and names of what was written to the cluster, in order; creations carry no name in their path. */
const jobsAnd = (what: RegExp): readonly string[] =>
  world.writes().filter((write) => /jobs\//.test(write) || what.test(write));

describe("hooks of a chart", () => {
  test("run in order of weight, around the apply, and once", async () => {
    const ref = chart([
      hook("second", "pre-install", { "helm.sh/hook-weight": "5" }),
      hook("first", "pre-install", { "helm.sh/hook-weight": "-5" }),
      hook("last", "post-install", { "helm.sh/hook-delete-policy": "hook-succeeded" }),
      configMap("settings"),
    ]);
    await world.install(ref, spec(ref));
    await world.until("Ready");

    deepEqual(jobsAnd(/settings/).slice(0, 4), [
      "create jobs/",
      "create jobs/",
      "patch configmaps/settings",
      "create jobs/",
    ]);
    const created = (await world.world.skr.list("batch/v1", "Job")).map(({ metadata: { name, creationTimestamp } }) => [
      name,
      creationTimestamp,
    ]);
    deepEqual(
      created.toSorted((x, y) => String(x[1]).localeCompare(String(y[1]))).map(([name]) => name),
      ["first", "second"],
    );
    deepEqual(await world.names("batch/v1", "Job"), ["first", "second"]);
  });

  test("a hook that fails stops the installation and is named", async () => {
    const ref = chart([hook("check", "pre-install", {}, fails), configMap("settings")]);
    await world.install(ref, spec(ref));
    const { status } = await world.until("Error");

    match(status?.lastOperation?.operation ?? "", /^pre-install hook Job kyma-system\/check failed: /);
    deepEqual(await world.names("v1", "ConfigMap"), []);
  });

  test("a repair of drift is no upgrade, nor after a rendering for other kinds", async () => {
    const ref = chart([configMap("settings"), hook("before", "pre-upgrade"), hook("after", "post-upgrade")]);
    await world.install(ref, spec(ref));
    await world.until("Ready");
    const { skr, clock } = world.world;
    const resource = await skr.resource("v1", "ConfigMap");
    const repair = async (): Promise<void> => {
      await skr.client.delete({ resource, namespace: "kyma-system", name: "settings" });
      world.controller.remoteChanged("one");
      await clock.until(async () => (await world.names("v1", "ConfigMap")).includes("settings"));
      await world.until("Ready");
    };
    await repair();
    await skr.apply(sampleModule.crd);
    await clock.advance(600_000);
    world.controller.remoteChanged("one");
    await clock.advance(5_000);
    await repair();

    deepEqual(await world.names("batch/v1", "Job"), []);
  });

  test("an upgrade runs upgrade hooks, a deletion its own and removes what hooks left behind (16.2-8)", async () => {
    const first = chart([configMap("settings"), hook("install", "post-install")]);
    await world.install(first, spec(first));
    await world.until("Ready");
    const second = chart([
      configMap("settings", { v: "2" }),
      hook("upgrade", "pre-upgrade"),
      hook("bye", "pre-delete"),
    ]);
    await world.upgrade(second);
    await world.installed(second);
    await world.delete();
    await world.gone();

    deepEqual(await world.names("batch/v1", "Job"), []);
    deepEqual(await world.names("v1", "ConfigMap"), []);
  });
});

describe("migrations", () => {
  const steps = (text: string): string => world.layer(Buffer.from(text));
  const layer = (version: string): string => world.layer([configMap("settings", { version })]);
  const raw = (ref: string, version: string, migrations: string): Partial<ManifestSpec> => ({
    version,
    install: {
      name: "raw-manifest",
      source: { type: "oci-ref", repo: "registry.example.org", name: "example.org/module/alpha", ref, migrations },
    },
  });

  test("steps between two versions run once, in order, and are on record", async () => {
    const migrations = steps(
      JSON.stringify({
        steps: [
          { name: "too-new", version: "4.0.0", job: job("too-new") },
          { name: "move", version: "3.0.0", job: job("move") },
          {
            name: "mark",
            version: "2.0.0",
            patch: {
              target: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "user", namespace: "kyma-system" } },
              merge: { data: { migrated: "yes" } },
            },
          },
          { name: "too-old", version: "1.0.0", job: job("too-old") },
        ],
      }),
    );
    await world.world.skr.apply(configMap("user"));
    const first = layer("1");
    await world.install(first, raw(first, "1.0.0", migrations));
    await world.until("Ready");
    const second = layer("3");
    await world.patch({ spec: raw(second, "3.0.0", migrations) });
    const { status } = await world.installed(second);

    equal(status?.inventory?.version, "3.0.0");
    equal(status?.inventory?.migration, undefined);
    deepEqual(jobsAnd(/configmaps\/user/), ["patch configmaps/user", "create jobs/", "delete jobs/move"]);
  });

  test("a failed step keeps the old version and is named", async () => {
    const migrations = steps(
      JSON.stringify({ steps: [{ name: "move", version: "2.0.0", job: job("move", {}, fails) }] }),
    );
    const first = layer("1");
    await world.install(first, raw(first, "1.0.0", migrations));
    await world.until("Ready");
    const second = layer("2");
    await world.patch({ spec: raw(second, "2.0.0", migrations) });
    const { status } = await world.until("Error");

    match(status?.lastOperation?.operation ?? "", /^migration step move to version 2\.0\.0 failed: /);
    equal(status?.inventory?.version, "1.0.0");
    deepEqual(jobsAnd(/configmaps/), ["patch configmaps/settings", "create jobs/"]);
  });
});
