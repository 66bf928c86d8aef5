import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { Secret } from "@kyma-operators/errors";
import { type Shoot, shootResource } from "@kyma-operators/gardener";
import {
  type AnyObject,
  type Client,
  createClient,
  createHttpTransport,
  optional,
  systemClock,
} from "@kyma-operators/kube";
import { createManager } from "@kyma-operators/runtime";
import { parseYaml } from "@kyma-operators/yaml";
import { gardenerClusterResource, type Runtime, runtimeResource } from "../apis/infrastructure/index.ts";
import { addRuntimeController } from "../controllers/runtime/index.ts";
import { parseAuditLogTenants, parseLandscapeConfig } from "../controllers/runtime/shoot/index.ts";
import { gardenCrds } from "../local/gardener/crd-files.ts";
import { landscapeText, runtimeObject, startKubeApiServer, type TestServer, tenantsText } from "../testing/index.ts";

const assets = process.env.KUBEBUILDER_ASSETS;
const project = "garden-kyma-dev";
const name = "11111111-0000-4000-8000-000000000001";
const runtimeRef = { resource: runtimeResource, namespace: "kcp-system", name };
const shootRef = { resource: shootResource, namespace: project, name: "c-1" };
const landscape = {
  config: parseLandscapeConfig(landscapeText(), "converter_config.json"),
  auditLogTenants: parseAuditLogTenants(tenantsText(), "tenants.json"),
  maintenanceWindows: {},
};

type StoredRuntime = Runtime & AnyObject;
type StoredShoot = Shoot & AnyObject;

function clientOf(server: TestServer, userAgent: string): Client {
  const access = { server: server.url, ca: server.caCertificate, token: new Secret(server.token) };
  return createClient({ transport: createHttpTransport(access), clock: systemClock, userAgent });
}

async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let turn = 0; turn < 300; turn += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(100);
  }
  throw new Error("it did not happen within 30 s");
}

/** CRDs of the control plane and of Gardener, served. */
async function install(client: Client): Promise<void> {
  const folder = join(import.meta.dirname, "../crds");
  const own = readdirSync(folder)
    .filter((file) => file.startsWith("infrastructuremanager."))
    .map((file) => parseYaml(readFileSync(join(folder, file), "utf8")) as AnyObject);
  const crds = await client.resourceFor("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  for (const crd of [...own, ...gardenCrds()]) await client.create(crds, crd);
  const namespaces = await client.resourceFor("v1", "Namespace");
  for (const namespace of ["kcp-system", project]) {
    await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  }
  for (const resource of [runtimeResource, gardenerClusterResource, shootResource]) {
    await eventually(() => client.list(resource).catch(() => undefined));
  }
}

describe("the Runtime controller on a real kube-apiserver", () => {
  let server: TestServer;
  let client: Client;
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();

  beforeAll(async () => {
    if (assets === undefined) throw new Error("KUBEBUILDER_ASSETS must name a folder with kube-apiserver and etcd");
    server = await startKubeApiServer(assets);
    client = clientOf(server, "test");
    await install(client);
    const manager = createManager({
      client: clientOf(server, "operator"),
      clock: systemClock,
      identity: "test",
      leases: [{ name: "test", namespace: "kcp-system", enabled: false }],
    });
    addRuntimeController(manager.context("test"), {
      gardener: clientOf(server, "operator"),
      remote: { open: () => client, evict: () => undefined },
      landscape: () => landscape,
    });
    running = manager.run(stop.signal);
  }, 180_000);
  afterAll(async () => {
    stop.abort(new Error("the test is over"));
    await running;
    await server.stop();
  }, 60_000);

  const shootOf = (): Promise<StoredShoot | undefined> => optional(client.get<StoredShoot>(shootRef));
  const runtimeOf = (): Promise<StoredRuntime | undefined> => optional(client.get<StoredRuntime>(runtimeRef));
  const untilReason = (reason: string): Promise<true> =>
    eventually(async () => {
      const conditions = (await runtimeOf())?.status?.conditions ?? [];
      return conditions.some((condition) => condition.reason === reason) ? true : undefined;
    });

  /** Says what Gardener would say of the newest generation. */
  async function succeed(type: "Create" | "Reconcile"): Promise<void> {
    const shoot = await client.get<StoredShoot>(shootRef);
    const lastOperation = {
      type,
      state: "Succeeded",
      progress: 100,
      description: "Shoot cluster has been successfully reconciled.",
      lastUpdateTime: new Date().toISOString(),
    };
    const rest = { gardener: { id: "", name: "", version: "" }, hibernated: false, technicalID: "t", uid: "u" };
    const status = { ...rest, observedGeneration: shoot.metadata.generation, lastOperation };
    await client.mergePatch(shootRef, { status }, { subresource: "status" });
  }

  test("creates, patches by server-side apply, and deletes a Shoot", async () => {
    await client.create(runtimeResource, runtimeObject());
    await eventually(shootOf);
    await client.mergePatch(shootRef, { metadata: { finalizers: ["gardener"] } });
    await succeed("Create");
    await untilReason("GardenerClusterCRCreated");

    const [worker] = (runtimeObject()["spec"] as Runtime["spec"]).shoot.provider.workers;
    const workers = [{ ...worker, maximum: 25 }];
    await client.mergePatch(runtimeRef, { spec: { shoot: { provider: { workers } } } });
    const patched = await eventually(async () => {
      const shoot = await shootOf();
      return shoot?.spec.provider.workers?.[0]?.maximum === 25 ? shoot : undefined;
    });
    ok(patched.metadata.managedFields?.some(({ manager, operation }) => manager === "kim" && operation === "Apply"));
    equal(patched.metadata.generation, 2);
    match(JSON.stringify(patched.metadata.annotations), /runtime-generation":"2"/);
    await succeed("Reconcile");
    await untilReason("ConfigurationCompleted");

    await client.delete(runtimeRef);
    await eventually(async () => ((await shootOf())?.metadata.deletionTimestamp === undefined ? undefined : true));
    equal((await shootOf())?.metadata.annotations?.["confirmation.gardener.cloud/deletion"], "true");
    deepEqual((await client.list(gardenerClusterResource)).items, []);
    await client.mergePatch(shootRef, { metadata: { finalizers: null } });
    await eventually(async () => ((await runtimeOf()) === undefined ? true : undefined));
  }, 300_000);
});
