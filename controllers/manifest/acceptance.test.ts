import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import type { AnyObject, Client } from "@kyma-operators/kube";
import { writeTar } from "oras-js";
import type { Manifest, ManifestSpec } from "../../apis/operator/manifest.ts";
import { ManifestWorld, sampleModule, sampleVersions } from "../../testing/index.ts";
import { addManifestController, type ManifestController } from "./controller.ts";

let world: ManifestWorld<ManifestController>;
beforeEach(async () => {
  world = await ManifestWorld.start(({ context, ...options }) => addManifestController(context, options));
});
afterEach(async () => world.stop());

const { customResource: resource, configMap, crd, deployment } = sampleModule;
const operationOf = (manifest: Manifest | undefined): string => manifest?.status?.lastOperation?.operation ?? "";

/** A chart as a layer; texts of templates, or files with their whole path. */
function chart(files: Readonly<Record<string, string>>): string {
  const own = { "Chart.yaml": "apiVersion: v2\nname: demo\nversion: 1.0.0\n", ...files };
  const entries = Object.entries(own).map(([path, text]) => ({ path: `demo/${path}`, content: Buffer.from(text) }));
  return world.layer(writeTar(entries));
}

const ofChart = (ref: string, more: object = {}): Partial<ManifestSpec> => ({
  install: {
    name: "demo",
    source: { type: "helm-chart", repo: "registry.example.org", name: "example.org/module/alpha", ref, ...more },
  },
});

const map = (name: string): string => JSON.stringify(configMap(name));

/** Lets time pass in steps and gives the states that were seen. */
async function statesFor(seconds: number): Promise<readonly string[]> {
  const seen = new Set<string>();
  for (let second = 0; second < seconds; second += 1) {
    await world.world.clock.advance(1_000);
    seen.add((await world.manifest())?.status?.state ?? "gone");
  }
  return [...seen];
}

/** Makes one call of every client of the remote cluster go through a function. */
function intercept(name: keyof Client, call: () => Promise<unknown>): void {
  const { clusters } = world.world;
  const open = clusters.open.bind(clusters);
  clusters.open = (...args) =>
    new Proxy(open(...args), {
      get: (target, asked) => {
        const method: unknown = Reflect.get(target, asked);
        if (asked === name) return call;
        return typeof method === "function" ? method.bind(target) : method;
      },
    });
}

describe("charts", () => {
  test("with CRDs are installed with an instance of them (16.2-1, 16.2-3, 16.1-7)", async () => {
    const ref = chart({ "crds/alphas.yaml": JSON.stringify(crd), "templates/mine.yaml": JSON.stringify(resource) });
    const spec = {
      ...ofChart(ref),
      remote: true,
      resource: { ...resource, metadata: { name: "own", namespace: "kyma-system" } },
    };
    await world.install(ref, spec);
    await world.until("Ready");

    deepEqual((await world.names("demo.example.org/v1", "Alpha")).toSorted(), ["default", "own"]);
  });

  test("values that turn an object on and off add and delete it, the layer being the same (16.2-7, fault 56)", async () => {
    const ref = chart({
      "values.yaml": "scale: false\n",
      "templates/a.yaml": map("always"),
      "templates/b.yaml": `{{ if .Values.scale }}\n${map("scaler")}\n{{ end }}`,
    });
    await world.install(ref, ofChart(ref));
    await world.until("Ready");
    const sizes: number[] = [];
    for (const scale of [true, false]) {
      await world.patch({ spec: { install: { source: { values: { scale } } } } });
      await world.world.clock.until(async () => (await world.names("v1", "ConfigMap")).includes("scaler") === scale);
      sizes.push((await world.until("Ready")).status?.synced?.length ?? 0);
    }

    deepEqual(sizes, [2, 1]);
  });

  test("are rendered anew when the cluster serves other kinds, and hooks do not run for it (fault 58)", async () => {
    const hook = {
      ...configMap("hook"),
      metadata: { name: "hook", namespace: "kyma-system", annotations: { "helm.sh/hook": "pre-upgrade" } },
    };
    const ref = chart({
      "templates/a.yaml": map("always"),
      "templates/b.yaml": `{{ if .Capabilities.APIVersions.Has "demo.example.org/v1" }}\n${JSON.stringify(resource)}\n{{ end }}`,
      "templates/hook.yaml": JSON.stringify(hook),
    });
    await world.install(ref, ofChart(ref));
    await world.until("Ready");
    deepEqual(await world.names("v1", "ConfigMap"), ["always"]);
    await world.world.skr.apply(crd);
    await world.world.clock.advance(600_000);
    world.controller.remoteChanged("one");
    await world.world.clock.until(async () => (await world.names("demo.example.org/v1", "Alpha")).length === 1);
    await world.until("Ready");

    deepEqual(await world.names("v1", "ConfigMap"), ["always"]);
    const before = world.writes().length;
    world.controller.remoteChanged("one");
    await world.world.clock.advance(700_000);
    equal(world.writes().length, before, "and only once");
  });
});

test("an API whose server is down takes nothing of a chart away", async () => {
  await world.world.skr.apply(crd);
  const template = `{{ if .Capabilities.APIVersions.Has "demo.example.org/v1" }}\n${JSON.stringify(resource)}\n{{ end }}`;
  const ref = chart({ "templates/a.yaml": map("always"), "templates/b.yaml": template });
  await world.install(ref, ofChart(ref));
  await world.until("Ready");
  let checks = 0;
  intercept("serverInfo", async () => {
    checks += 1;
    return { gitVersion: "v1.35.0", apiVersions: ["v1", "v1/ConfigMap"], complete: false };
  });
  world.controller.remoteChanged("one");
  await world.world.clock.advance(10_000);

  equal(checks, 1);
  deepEqual(await world.names("demo.example.org/v1", "Alpha"), ["default"]);
});

describe("a layer", () => {
  test("without any object is installed as such (16.2-14)", async () => {
    await world.install(world.layer(Buffer.from("# nothing yet\n")));

    deepEqual((await world.until("Ready")).status?.synced ?? [], []);
  });

  test("whose objects are all deleted by hand comes back as a whole (16.2-6)", async () => {
    await world.install(world.layer(sampleVersions[1]));
    const { status } = await world.until("Ready");
    for (const { group, version, kind, namespace, name } of status?.synced ?? []) {
      const found = await world.world.skr.resource(group === "" ? version : `${group}/${version}`, kind);
      await world.world.skr.client.delete({ resource: found, name, ...(namespace === "" ? {} : { namespace }) });
    }
    world.controller.remoteChanged("one");
    await world.world.clock.until(async () => (await world.names("apps/v1", "Deployment")).length === 1);
    await world.until("Ready");

    deepEqual((await world.names("v1", "ConfigMap")).toSorted(), ["old", "settings"]);
  });

  test("of a registry that does not answer is an error that names it (16.1-9)", async () => {
    const ref = `sha256:${"2".repeat(64)}`;
    const source = { type: "oci-ref", repo: "nowhere.example.org", name: "example.org/module/alpha", ref };
    await world.install(ref, { install: { name: "raw-manifest", source } });

    match(operationOf(await world.until("Error")), /nowhere\.example\.org/);
    deepEqual(world.writes(), []);
  });
});

describe("states", () => {
  test("an Error stays until something has succeeded (fault 5)", async () => {
    await world.install(`sha256:${"3".repeat(64)}`);
    await world.until("Error");

    deepEqual(await statesFor(90), ["Error"]);
  });

  test("a deletion that waits is Deleting all the time (fault 39)", async () => {
    await world.install(world.layer(sampleVersions[1]), { resource });
    await world.until("Ready");
    await world.world.skr.apply({ ...resource, metadata: { name: "mine", namespace: "default" } });
    await world.delete();
    await world.until("Deleting");

    deepEqual(await statesFor(90), ["Deleting"]);
  });

  test("remote: false is stored and read as it was written (fault 4)", async () => {
    await world.install(world.layer(sampleVersions[1]), { remote: false });

    equal((await world.until("Ready")).spec.remote, false);
    const { remote: _absent, ...spec } = (await world.manifest())?.spec ?? {};
    const manifests = await world.world.kcp.resource("operator.kyma-project.io/v1beta2", "Manifest");
    const without = {
      apiVersion: "operator.kyma-project.io/v1beta2",
      kind: "Manifest",
      metadata: { name: "x", namespace: "kcp-system" },
      spec,
    };
    const refusal: unknown = await world.world.kcp.client
      .create(manifests, without as AnyObject)
      .catch((error: unknown) => error);
    match(String(refusal), /spec\.remote: Required value/);
  });

  test("only the exact value of the label pauses a Manifest (M2)", async () => {
    await world.install(
      world.layer(sampleVersions[1]),
      {},
      {
        labels: { "operator.kyma-project.io/kyma-name": "one", "operator.kyma-project.io/skip-reconciliation": "True" },
      },
    );

    await world.until("Ready");
  });
});

describe("failures", () => {
  test("are tried again with growing pauses, at most half a minute long (fault 30, fault 40)", async () => {
    const times: number[] = [];
    intercept("apply", async () => {
      times.push(world.world.clock.now());
      throw new Error("no");
    });
    await world.install(world.layer([configMap("settings")]));
    await world.world.clock.advance(300_000);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));

    ok(times.length >= 8 && times.length <= 20, `${times.length} tries`);
    ok(Math.max(...pauses) <= 36_000, pauses.join(" "));
    ok((pauses.at(-1) ?? 0) > 4 * (pauses[0] ?? 0), pauses.join(" "));
  });

  test("a refused login is told once, however often it is tried (fault 42)", async () => {
    const { kubeErrors } = await import("@kyma-operators/kube");
    intercept("apply", async () => {
      throw kubeErrors.UNAUTHORIZED({
        method: "PATCH",
        path: "/",
        status: 401,
        reason: "Unauthorized",
        message: "Unauthorized",
      });
    });
    await world.install(world.layer([configMap("settings")]));
    await world.world.clock.advance(300_000);
    const events = await world.world.kcp.list("events.k8s.io/v1", "Event");
    const told = events.filter(({ reason }) => reason === "Unauthorized");

    equal(told.length, 1);
    equal(told[0]?.["series"], undefined);
  });

  test("of one module leave the others alone (fault 51)", async () => {
    const endless = chart({ "templates/x.yaml": "{{ range until 100000000 }}{{ . }}{{ end }}" });
    await world.install(endless, ofChart(endless));
    await world.world.kcp.apply({
      apiVersion: "operator.kyma-project.io/v1beta2",
      kind: "Manifest",
      metadata: { name: "other", namespace: "kcp-system", labels: { "operator.kyma-project.io/kyma-name": "one" } },
      spec: {
        remote: false,
        install: {
          name: "raw-manifest",
          source: { type: "oci-ref", repo: "r.example.org", name: "m", ref: world.layer([deployment("alpha:1")]) },
        },
      },
    });
    await world.world.clock.until(async () => (await world.names("apps/v1", "Deployment")).length === 1);

    match(operationOf(await world.until("Error")), /demo\/templates\/x\.yaml|limit/i);
  });
});
