import { deepEqual, equal } from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { createMetrics, silentLogger } from "@kyma-operators/runtime";
import { parseYaml } from "@kyma-operators/yaml";
import { names } from "../../apis/operator/names.ts";
import { type Watcher, watcherManager } from "../../apis/operator/watcher.ts";
import { readMaintenancePolicy } from "./maintenance-files.ts";

const root = join(import.meta.dirname, "../..");

test("the Watcher that is shipped leads to our listener (I114)", async () => {
  const text = await readFile(join(root, "config/watcher/watcher.yaml"), "utf8");
  const watcher = parseYaml(text) as Watcher;
  equal(watcherManager(watcher), "lifecycle-manager");
  equal(watcher.metadata.namespace, names.controlPlaneNamespace);
  const service = parseYaml(await readFile(join(root, "config/manager/process/service.yaml"), "utf8")) as {
    metadata: { name: string };
    spec: { ports: { name: string; port: number }[] };
  };
  const events = service.spec.ports.find(({ name }) => name === "events");
  deepEqual([watcher.spec.serviceInfo.name, watcher.spec.serviceInfo.port], [service.metadata.name, events?.port]);
});

describe("the file of the maintenance policy", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "maintenance-"));
  });
  afterAll(async () => rm(folder, { recursive: true }));

  async function read(): Promise<{ readonly found: boolean; readonly metric: string }> {
    const metrics = createMetrics();
    const { policy } = await readMaintenancePolicy({ MAINTENANCE_POLICY_PATH: folder }, { log: silentLogger, metrics });
    const { text } = await metrics.scrape();
    const metric = /^lifecycle_mgr_maintenance_window_config_read_success (\d)$/m.exec(text)?.[1] ?? "";
    return { found: policy !== undefined, metric };
  }

  test("is read at start, and a metric tells whether it could be (E080, U170, U175)", async () => {
    deepEqual(await read(), { found: false, metric: "0" });
    await writeFile(join(folder, "policy.json"), "not json");
    deepEqual(await read(), { found: false, metric: "0" });
    await writeFile(
      join(folder, "policy.json"),
      '{"default":{"begin":"01:00:00+00:00","end":"02:00:00+00:00","days":["Sat"]}}',
    );
    deepEqual(await read(), { found: true, metric: "1" });
  });
});
