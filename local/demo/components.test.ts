import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { test } from "@jest/globals";
import { getComponentVersion, resolveLayer } from "@kyma-operators/ocm";
import { createRegistryClient, readTarGz } from "oras-js";
import { startRegistry } from "../registry/registry.ts";
import { demoComponents, pushComponents } from "./components.ts";

const modules = join(import.meta.dirname, "modules");

test("the demo's modules arrive in a registry with their layers", async () => {
  const registry = await startRegistry({});
  const client = createRegistryClient();
  try {
    await pushComponents(registry.url, await demoComponents(modules), new AbortController().signal);
    const greeter = await getComponentVersion(
      client,
      { baseUrl: registry.url },
      { name: "example.test/module/greeter", version: "1.1.0" },
    );
    const layer = resolveLayer(greeter.descriptor, greeter.repository, "greeter");
    ok(layer.kind === "blob");
    const chart = await client.pullBlob(layer.repository, { digest: layer.digests[0] ?? "" });
    const files = await readTarGz(chart);
    equal(new TextDecoder().decode(files.get("greeter/Chart.yaml")).includes("\nversion: 1.1.0\n"), true);

    const metering = await getComponentVersion(
      client,
      { baseUrl: registry.url },
      { name: "example.test/module/metering", version: "1.0.0" },
    );
    deepEqual(
      metering.descriptor.resources.map(({ name }) => name),
      ["raw-manifest"],
    );
  } finally {
    await client.close();
    await registry.stop();
  }
});

test("packing twice gives equal digests", async () => {
  const digests = async () => (await demoComponents(modules)).flatMap(({ blobs }) => blobs.map(({ digest }) => digest));
  deepEqual(await digests(), await digests());
});
