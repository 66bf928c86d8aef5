import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { type Client, createClient, kubeErrors, transportFrom } from "@kyma-operators/kube";
import { createManager, type Logger, type ManagerContext } from "@kyma-operators/runtime";
import { FakeClock, kymaObject, type LifecycleWorld, startLifecycleWorld } from "../../testing/index.ts";
import { addPurge } from "./controller.ts";
import { parseVersionMap } from "./stored-versions.ts";

const crds = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };

let world: LifecycleWorld;
afterEach(async () => world.stop());

async function storedVersions(name: string): Promise<unknown> {
  const found = await world.kcp.list(crds.apiVersion, crds.kind);
  const { status } = (found.find(({ metadata }) => metadata.name === name) ?? {}) as {
    status?: { storedVersions?: unknown };
  };
  return status?.storedVersions;
}

async function setStored(name: string, versions: readonly string[]): Promise<void> {
  const resource = await world.kcp.resource(crds.apiVersion, crds.kind);
  await world.kcp.client.mergePatch(
    { resource, name },
    { status: { storedVersions: versions } },
    { subresource: "status" },
  );
}

/** A client of the control plane that may not patch objects in some places. */
function refused(where: RegExp): Client {
  const { server } = world.kcp;
  const transport = transportFrom((request) => {
    const { method, path } = request;
    if (method === "PATCH" && where.test(path)) throw kubeErrors.CONNECTION({ method, path, host: "one" });
    return server.transport(request);
  });
  return createClient({ transport, clock: world.clock, userAgent: "operator" });
}

/** Runs the purge alone for a while; tells what it logged, each with the hours since its start. */
async function logged(client: Client, hours: number): Promise<readonly (readonly [string, number, string])[]> {
  const clock = new FakeClock();
  const lines: (readonly [string, number, string])[] = [];
  const at = (level: string) => (fields: Readonly<Record<string, unknown>>) =>
    void lines.push([level, (clock.now() - start) / 3_600_000, String(fields["error"])]);
  const log = { debug: at("debug"), error: at("error") } as unknown as Logger;
  const start = clock.now();
  const end = new AbortController();
  const runs: Promise<void>[] = [];
  const addRunnable: ManagerContext["addRunnable"] = (_name, run) => void runs.push(run(end.signal));
  addPurge({ client, clock, log, addRunnable } as unknown as ManagerContext, { dropStoredVersions: "Kyma:v1beta1" });
  await clock.advance(hours * 3_600_000);
  end.abort();
  await Promise.all(runs);
  return lines;
}

async function withFormerKyma(namespace: string): Promise<void> {
  world = await startLifecycleWorld();
  await world.kcp.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const kyma = kymaObject("runtime-1", { channel: "regular" });
  await world.kcp.apply({ ...kyma, metadata: { ...kyma.metadata, namespace } });
  await setStored("kymas.operator.kyma-project.io", ["v1beta1", "v1beta2"]);
}

describe("former versions of our CRDs", () => {
  test("stay as long as an object can't be rewritten, in whatever namespace; it is tried less and less often", async () => {
    await withFormerKyma("kyma-system");
    const lines = await logged(refused(/\/namespaces\/kyma-system\/kymas\//), 24);
    ok(lines.length > 10 && lines.length < 40, `${lines.length} attempts`);
    ok(lines.every(([level]) => level === "error"));
    match(lines[0]?.[2] ?? "", /1 objects of kind Kyma could not be rewritten, kyma-system\/runtime-1 for one/);
    const waits = lines.slice(1).map(([, at], index) => at - (lines[index]?.[1] ?? 0));
    ok(waits.every((wait) => wait <= 1.01));
    deepEqual(
      waits,
      waits.toSorted((a, b) => a - b),
    );
    deepEqual(await storedVersions("kymas.operator.kyma-project.io"), ["v1beta1", "v1beta2"]);
    deepEqual(await logged(world.kcp.client, 1), []);
    deepEqual(await storedVersions("kymas.operator.kyma-project.io"), ["v1beta2"]);
  });

  test("are left to the replica that may write, without an error", async () => {
    await withFormerKyma("kcp-system");
    const lease = { name: "shared", namespace: "kcp-system", enabled: true };
    const { kcp, clock } = world;
    const follower = createManager({ client: kcp.client, clock, identity: "b", leases: [lease] });
    const lines = await logged(follower.context("shared").client, 1);
    ok(lines.length > 2);
    ok(lines.every(([level]) => level === "debug"));
  });

  test("leave the record after every object was rewritten; the version in use never does (U183)", async () => {
    world = await startLifecycleWorld();
    await world.kcp.apply(kymaObject("runtime-1", { channel: "regular" }));
    await setStored("kymas.operator.kyma-project.io", ["v1beta1", "v1beta2"]);
    await setStored("manifests.operator.kyma-project.io", ["v1beta2"]);
    addPurge(world.context, { dropStoredVersions: "Kyma:v1beta1,Manifest:v1beta2" });
    world.start();
    await world.clock.until(
      async () => JSON.stringify(await storedVersions("kymas.operator.kyma-project.io")) === '["v1beta2"]',
    );
    deepEqual(await storedVersions("manifests.operator.kyma-project.io"), ["v1beta2"]);
    equal(world.kcp.writes().filter(({ path }) => path.endsWith("/kymas/runtime-1")).length, 1);
  });

  test("are named as Kind:version (U183)", async () => {
    world = await startLifecycleWorld();
    deepEqual(
      [...parseVersionMap("Kyma:v1beta1, Watcher:v1beta1")],
      [
        ["Kyma", "v1beta1"],
        ["Watcher", "v1beta1"],
      ],
    );
    throws(() => parseVersionMap("Kyma"), /expected Kind:version, found "Kyma"/);
  });
});
