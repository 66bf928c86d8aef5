import { deepEqual } from "node:assert/strict";
import { test } from "@jest/globals";
import type { Client, ObjectRef, Resource, WriteOptions } from "@kyma-operators/kube";
import { FakeClock, startCluster } from "../../testing/index.ts";
import { createManager } from "./manager.ts";

const configMaps: Resource = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };
const lease = { name: "test.kyma-project.io", namespace: "default", enabled: false };

/** A client whose answers to patches arrive only when `until` resolves: the watch is faster than the answer. */
function slowAnswers(client: Client, until: () => Promise<unknown>): Client {
  const mergePatch = async (ref: ObjectRef, patch: unknown, options?: WriteOptions) => {
    const answer = await client.mergePatch(ref, patch, options);
    await until();
    return answer;
  };
  return new Proxy(client, {
    get: (target, name) => (name === "mergePatch" ? mergePatch : Reflect.get(target, name).bind(target)),
  });
}

test("the write that ends an object is not waited for when its deletion was shown before the answer", async () => {
  const clock = new FakeClock();
  const cluster = await startCluster({ clock, workload: false });
  const gone = Promise.withResolvers<void>();
  const client = slowAnswers(cluster.clientFor("manager"), () => gone.promise);
  const manager = createManager({ client, clock, identity: "one", leases: [lease], random: () => 0 });
  const context = manager.context(lease.name);
  const informer = context.informer(configMaps, { namespace: "default" });
  informer.onChange((change) => {
    if (change.type === "deleted") gone.resolve();
  });
  const passes: string[] = [];
  context.addController({
    name: "test",
    watches: [{ informer }],
    reconcile: async ({ namespace, name }) => {
      passes.push(`${name} ${clock.now()}`);
      const object = informer.store.get({ namespace, name });
      if (object?.metadata.deletionTimestamp !== undefined) {
        await context.client.mergePatch({ resource: configMaps, namespace, name }, { metadata: { finalizers: null } });
      }
      return { kind: "done" };
    },
  });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  const ref = { resource: configMaps, namespace: "default", name: "a" };
  const metadata = { name: "a", namespace: "default", finalizers: ["example.test/held"] };
  await cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata });
  await clock.until(() => passes.some((pass) => pass.startsWith("a ")));
  const start = clock.now();
  await cluster.client.delete(ref);
  await cluster.client.create(configMaps, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "b", namespace: "default" },
  });
  await clock.until(() => passes.some((pass) => pass.startsWith("b ")));
  // Had the pass waited for the answer's version, it would have begun ten seconds later.
  deepEqual(
    passes.filter((pass) => pass.startsWith("b ")),
    [`b ${start}`],
  );

  stop.abort();
  let over = false;
  void running.finally(() => (over = true));
  await clock.until(() => over);
  await cluster.stop();
});
