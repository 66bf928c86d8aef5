import { equal, ok } from "node:assert/strict";
import { test } from "@jest/globals";
import { createClient, kubeErrors, transportFrom } from "@kyma-operators/kube";
import { writeTar } from "oras-js";
import { kymas } from "../../../apis/operator/group.ts";
import { ManifestWorld, sampleModule } from "../../../testing/index.ts";
import { addManifestController } from "../controller.ts";

const namespace = "kcp-system";
const names = ["one-alpha", "one-beta"];
const intervalMs = 60_000;

/** A world whose remote cluster refuses connections as long as a test says so. */
async function setUp() {
  const asked = { down: false, refused: 0, versions: 0 };
  const world: ManifestWorld = await ManifestWorld.start(({ context, clusters, ...options }) => {
    const transport = transportFrom((request) => {
      if (request.path === "/version") asked.versions += 1;
      if (!asked.down) return world.world.skr.server.transport(request);
      asked.refused += 1;
      throw kubeErrors.CONNECTION({ method: request.method, path: request.path, host: "one" });
    });
    const open = () => createClient({ transport, clock: world.world.clock, userAgent: "operator" });
    const settings = { driftCheckMs: intervalMs };
    return addManifestController(context, { ...options, settings, clusters: { ...clusters, open } });
  });
  return { asked, world };
}

test("Manifests of one cluster that refuses connections wait for their back-off, and never wake each other", async () => {
  const { asked, world } = await setUp();
  try {
    const { clock, kcp } = world.world;
    const modules = names.map((name) => ({ name, state: "Processing", manifest: { metadata: { name, namespace } } }));
    const ref = { resource: kymas, namespace, name: "one" };
    await kcp.client.mergePatch(ref, { status: { modules } }, { subresource: "status" });
    for (const name of names) await world.install(world.layer([sampleModule.configMap(name)]), {}, { name });
    const states = async (): Promise<readonly unknown[]> =>
      (await kcp.list("operator.kyma-project.io/v1beta2", "Manifest")).map(
        ({ status }) => (status as { readonly state?: string } | undefined)?.state,
      );
    await clock.until(async () => (await states()).every((state) => state === "Ready"));

    asked.down = true;
    await clock.advance(10 * intervalMs);

    equal((await states()).join(), "Error,Error");
    // With a back-off from a second up to minutes there are some dozens; without one there are thousands.
    ok(asked.refused > 0 && asked.refused < 200, `${asked.refused} requests were refused`);
  } finally {
    await world.stop();
  }
});

test("a chart that a due check finds outdated and that can not be rendered waits for its back-off", async () => {
  const { asked, world } = await setUp();
  try {
    const { clock, skr } = world.world;
    const { crd, configMap } = sampleModule;
    const files = {
      "Chart.yaml": "apiVersion: v2\nname: demo\nversion: 1.0.0\n",
      "templates/a.yaml": JSON.stringify(configMap("always")),
      "templates/b.yaml": `{{ if .Capabilities.APIVersions.Has "demo.example.org/v1" }}{{ fail "no" }}{{ end }}`,
    };
    const entries = Object.entries(files).map(([path, text]) => ({ path: `demo/${path}`, content: Buffer.from(text) }));
    const ref = world.layer(writeTar(entries));
    const source = { type: "helm-chart", repo: "registry.example.org", name: "example.org/module/alpha", ref };
    await world.install(ref, { install: { name: "demo", source } });
    await world.until("Ready");

    asked.versions = 0;
    await skr.apply(crd);
    await clock.advance(10 * intervalMs);

    equal((await world.manifest())?.status?.state, "Error");
    // Each pass asks for the version of the cluster at most twice.
    ok(asked.versions > 1 && asked.versions < 100, `${asked.versions} versions were asked for`);
  } finally {
    await world.stop();
  }
});
