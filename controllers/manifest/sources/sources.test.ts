import { deepEqual, equal, match } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { writeTar } from "oras-js";
import type { ManifestSpec } from "../../../apis/operator/manifest.ts";
import { ManifestWorld, sampleModule, sampleVersions } from "../../../testing/index.ts";
import { addManifestController, type ManifestController } from "../controller.ts";

let world: ManifestWorld<ManifestController>;
beforeEach(async () => {
  world = await ManifestWorld.start(({ context, ...options }) => addManifestController(context, options));
});
afterEach(async () => world.stop());

const manifestApi = "operator.kyma-project.io/v1beta2";
const { configMap } = sampleModule;
const archive = (files: Readonly<Record<string, string>>): Uint8Array =>
  writeTar(Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) })));

const chart = (templates: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}): Uint8Array =>
  archive({
    "demo/Chart.yaml": "apiVersion: v2\nname: demo\nversion: 1.0.0\n",
    "demo/values.yaml": "color: red\n",
    ...Object.fromEntries(Object.entries(templates).map(([name, text]) => [`demo/templates/${name}`, text])),
    ...more,
  });

const source = (ref: string, type: string, more: object = {}): Partial<ManifestSpec> => ({
  install: {
    name: "demo",
    source: { type, repo: "registry.example.org", name: "example.org/module/alpha", ref, ...more },
  },
});

const dataOf = async (name: string): Promise<unknown> =>
  (await world.world.skr.list("v1", "ConfigMap")).find(({ metadata }) => metadata.name === name)?.["data"];

describe("sources", () => {
  test("a tar layer with one file is a raw manifest (I087, U074)", async () => {
    const ref = world.layer(archive({ "._junk": "x", "raw.yaml": JSON.stringify(configMap("settings", { a: "b" })) }));
    await world.install(ref, source(ref, "oci-dir"));
    await world.until("Ready");

    deepEqual(await dataOf("settings"), { a: "b" });
  });

  test("a chart layer is rendered with the values of the source, into its namespace (16.1-6, 16.2-2, fault 52)", async () => {
    const template =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}-cm}\ndata: {color: {{ .Values.color }}}\n";
    const ref = world.layer(chart({ "cm.yaml": template }));
    await world.install(ref, source(ref, "helm-chart", { values: { color: "blue" }, namespace: "kyma-system" }));
    await world.until("Ready");

    deepEqual(await dataOf("demo-cm"), { color: "blue" });
    equal((await world.manifest())?.status?.synced?.[0]?.namespace, "kyma-system");
  });

  test("values of a configuration layer are read in the grammar of --set", async () => {
    const template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata: {color: {{ .Values.color }}}\n";
    const ref = world.layer(chart({ "cm.yaml": template }));
    const config = world.layer(Buffer.from('configs: [{name: demo, overrides: "color=green"}]\n'));
    await world.install(ref, {
      ...source(ref, "helm-chart"),
      config: { type: "oci-ref", repo: "registry.example.org", name: "example.org/module/alpha", ref: config },
    });
    await world.until("Ready");

    deepEqual(await dataOf("cm"), { color: "green" });
  });

  test("a kustomization in a layer is built (16.1-2)", async () => {
    const ref = world.layer(
      archive({
        "kustomization.yaml": "namePrefix: x-\nresources: [cm.yaml]\n",
        "cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: kyma-system}\n",
      }),
    );
    await world.install(ref, source(ref, "kustomize"));
    await world.until("Ready");

    deepEqual(await world.names("v1", "ConfigMap"), ["x-settings"]);
  });

  const refusals: readonly [name: string, spec: () => Partial<ManifestSpec>, says: RegExp][] = [
    [
      "a type nobody knows (fault 11)",
      () => source("x", "ftp"),
      /spec\.install\.source: .*type is "ftp", expected one of oci-ref, oci-dir, helm-chart, kustomize/,
    ],
    [
      "a local path (16.1-3)",
      () => ({ install: { name: "demo", source: { type: "kustomize", path: "/etc" } } }),
      /a kustomization must come as a layer/,
    ],
    [
      "a chart repository without TLS",
      () => ({
        install: {
          name: "demo",
          source: { type: "helm-chart", url: "http://charts.example.org", chartName: "a", version: "1" },
        },
      }),
      /url is "http:\/\/charts\.example\.org", expected https:\/\/ or oci:\/\//,
    ],
    [
      "an undecodable document (fault 15)",
      () => source(world.layer(Buffer.from("kind: ConfigMap\n---\n- a\n")), "oci-ref"),
      /document 2 can't be used: expected an object, found a list/,
    ],
    [
      "two different objects of one identity",
      () => source(world.layer([configMap("a", { v: "1" }), configMap("a", { v: "2" })]), "oci-ref"),
      /ConfigMap kyma-system\/a is defined twice with different content/,
    ],
    [
      "a kustomization with a broken field",
      () => source(world.layer(archive({ "kustomization.yaml": "nameprefix: x\n" })), "kustomize"),
      /unknown field "nameprefix"/,
    ],
    [
      "a chart that fails to render (M3, U089, 16.2-11)",
      () => source(world.layer(chart({ "x.yaml": '{{ fail "no color" }}' })), "helm-chart"),
      /no color/,
    ],
    [
      "an archive without a file",
      () => source(world.layer(archive({ "._a": "" })), "oci-dir"),
      /expected a single file/,
    ],
  ];

  for (const [name, spec, says] of refusals) {
    test(`refuses ${name} and applies nothing`, async () => {
      await world.install("x", spec());
      const { status } = await world.until("Error");

      match(status?.lastOperation?.operation ?? "", says);
      deepEqual(world.writes(), []);
    });
  }

  test("a Manifest whose spec was removed says what it lacks, and can be deleted", async () => {
    await world.install(world.layer(sampleVersions[1]));
    await world.until("Ready");
    const ref = { resource: await world.world.kcp.resource(manifestApi, "Manifest"), namespace: "kcp-system" };
    const name = (await world.manifest())?.metadata.name ?? "";
    await world.world.kcp.client.mergePatch({ ...ref, name }, { spec: null });
    const { status } = await world.until("Error");

    equal(
      status?.lastOperation?.operation,
      `spec.install: Manifest kcp-system/${name} has none; expected the name of the installation and its source`,
    );
    await world.delete();
    await world.world.clock.until(async () => (await world.manifest()) === undefined);
    deepEqual(await world.names("apps/v1", "Deployment"), []);
  });

  test("one broken object never stops the others (fault 18)", async () => {
    const broken: AnyObject = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "bad", namespace: "kyma-system" },
      spec: { ports: [{ port: 99_999_999 }] },
    };
    await world.install(world.layer([...sampleVersions[1], broken]));
    const { status } = await world.until("Error");

    match(status?.lastOperation?.operation ?? "", /^Service kyma-system\/bad could not be applied: /);
    deepEqual(await world.names("apps/v1", "Deployment"), ["alpha"]);
  });
});

describe("rendering", () => {
  test("the same layer is read and rendered once for all Manifests (16.1-11, fault 24, fault 46)", async () => {
    const ref = world.layer(sampleVersions[1]);
    await world.install(ref);
    await world.until("Ready");
    world.content.files.clear();
    await world.world.kcp.apply({
      ...((await world.manifest()) as unknown as AnyObject),
      metadata: { name: "second", namespace: "kcp-system", labels: { "operator.kyma-project.io/kyma-name": "one" } },
      status: undefined,
    });
    await world.world.clock.until(async () => {
      const manifests = await world.world.kcp.list("operator.kyma-project.io/v1beta2", "Manifest");
      return manifests.every(({ status }) => (status as { state?: string } | undefined)?.state === "Ready");
    });
  });
});
