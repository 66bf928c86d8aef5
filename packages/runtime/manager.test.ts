import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { defineErrors } from "@kyma-operators/errors";
import {
  type AnyObject,
  builtIn,
  createClient,
  type ObjectKey,
  optional,
  type Resource,
  transportFrom,
} from "@kyma-operators/kube";
import { FakeClock, FaultTransport, ScriptedTransport, startCluster, type TestCluster } from "../../testing/index.ts";
import { createManager, type Manager, type ManagerOptions } from "./manager.ts";
import { specChanged, toOwner } from "./owners.ts";
import type { Context, Outcome } from "./types.ts";

const { configMaps, secrets } = builtIn;
const lease = { name: "test.kyma-project.io", namespace: "default" };
const sample = defineErrors("MANAGERTEST", { BROKEN_SPEC: { retry: "on-change", text: () => "change the spec" } });
const done: Outcome = { kind: "done" };

const configMap = (name: string, data: Record<string, string> = {}): AnyObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", labels: { mine: "yes" } },
  data,
});

const enders: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of enders.splice(0).toReversed()) await end();
});

async function setUp(): Promise<{ clock: FakeClock; cluster: TestCluster }> {
  const clock = new FakeClock();
  const cluster = await startCluster({ clock, workload: false });
  enders.push(() => cluster.stop());
  return { clock, cluster };
}

function managerOf(cluster: TestCluster, clock: FakeClock, options: Partial<ManagerOptions> = {}): Manager {
  const client = cluster.clientFor("manager");
  return createManager({ client, clock, identity: "one", leases: [lease], random: () => 0, freeze: true, ...options });
}

function start(manager: Manager, clock: FakeClock): { stop: () => Promise<void> } {
  const ending = new AbortController();
  const running = manager.run(ending.signal);
  // A test that fails must not leave a rejection behind that nobody handles.
  running.catch(() => undefined);
  const stop = async (): Promise<void> => {
    ending.abort(new Error("stop"));
    let over = false;
    void running.finally(() => (over = true)).catch(() => undefined);
    await clock.until(() => over);
    await running;
  };
  enders.push(() => stop().catch(() => undefined));
  return { stop };
}

const names = (keys: readonly ObjectKey[]): string[] => keys.map(({ name }) => name).sort();

describe("a controller", () => {
  test("passes over what is there, then over what changes", async () => {
    const { clock, cluster } = await setUp();
    await cluster.apply(configMap("a"), configMap("b"));
    const manager = managerOf(cluster, clock);
    const context = manager.context(lease.name);
    const seen: ObjectKey[] = [];
    const informer = context.informer(configMaps, { labelSelector: "mine=yes" });
    context.addController({
      name: "test",
      watches: [{ informer, predicate: specChanged }],
      reconcile: async (key) => {
        seen.push(key);
        return done;
      },
    });
    start(manager, clock);
    await clock.until(() => seen.length === 2);
    deepEqual(names(seen), ["a", "b"]);
    await cluster.apply(configMap("b", { x: "1" }), configMap("c"));
    // A ConfigMap has no generation, so only labels, annotations and existence count as a change of its spec.
    await clock.until(() => seen.length === 3);
    deepEqual(names(seen), ["a", "b", "c"]);
    deepEqual(manager.unready(), []);
  });

  test("is woken for the owner of what it watches", async () => {
    const { clock, cluster } = await setUp();
    const [owner] = await cluster.apply(configMap("owner"));
    const manager = managerOf(cluster, clock);
    const context = manager.context(lease.name);
    const seen: ObjectKey[] = [];
    const watch = { informer: context.informer(secrets), map: toOwner({ group: "", kind: "ConfigMap" }) };
    context.addController({
      name: "test",
      watches: [watch],
      reconcile: async (key) => {
        seen.push(key);
        return done;
      },
    });
    start(manager, clock);
    await cluster.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "owned",
        namespace: "default",
        ownerReferences: [
          { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner?.metadata.uid ?? "", controller: true },
        ],
      },
    });
    await clock.until(() => seen.length > 0);
    deepEqual(seen, [{ namespace: "default", name: "owner" }]);
  });

  test("a failed pass is retried with back-off, a stalled one after ten minutes, a waiting one when it asked", async () => {
    const { clock, cluster } = await setUp();
    await cluster.apply(configMap("fails"), configMap("stalls"), configMap("waits"));
    const manager = managerOf(cluster, clock);
    const context = manager.context(lease.name);
    const times: Record<string, number[]> = { fails: [], stalls: [], waits: [] };
    const began = clock.now();
    const outcomes: Record<string, () => Outcome> = {
      fails: () => {
        throw new Error("broken");
      },
      stalls: () => {
        throw sample.BROKEN_SPEC({});
      },
      waits: () => ({ kind: "wait", reason: "not ready", afterMs: 5000 }),
    };
    const reconcile = async ({ name }: ObjectKey): Promise<Outcome> => {
      times[name]?.push(clock.now() - began);
      return outcomes[name]?.() ?? done;
    };
    const informer = context.informer(configMaps, { labelSelector: "mine=yes" });
    context.addController({
      name: "test",
      watches: [{ informer }],
      backoff: { firstMs: 1000, maxMs: 4000 },
      reconcile,
    });
    start(manager, clock);
    await clock.advance(12_500);
    // Without jitter a delay is 0.8 of its middle.
    deepEqual(times["fails"], [0, 800, 2400, 5600, 8800, 12_000]);
    deepEqual(times["waits"], [0, 5000, 10_000]);
    await clock.advance(600_000);
    deepEqual(times["stalls"], [0, 600_000]);
  });

  test("a pass sees the writes of the pass before, however late the watch is", async () => {
    const { clock, cluster } = await setUp();
    await cluster.apply(configMap("count", { n: "0" }));
    const manager = managerOf(cluster, clock);
    const context = manager.context(lease.name);
    const informer = context.informer<AnyObject & { data?: Record<string, string> }>(configMaps, {
      labelSelector: "mine=yes",
    });
    const seen: string[] = [];
    context.addController({
      name: "test",
      watches: [{ informer }],
      reconcile: async (key, { signal }) => {
        const object = informer.store.get(key);
        const n = Number(object?.data?.["n"]);
        seen.push(String(n));
        if (n >= 20) return done;
        await context.client.mergePatch({ resource: configMaps, ...key }, { data: { n: String(n + 1) } }, { signal });
        // Asks to be run again at once, before any watch event can have come.
        return { kind: "wait", reason: "more", afterMs: 0 };
      },
    });
    start(manager, clock);
    await clock.until(() => seen.includes("20"));
    deepEqual(
      seen,
      Array.from({ length: 21 }, (_, index) => String(index)),
    );
  });

  test("a pass that takes too long is aborted and tried again", async () => {
    const { clock, cluster } = await setUp();
    await cluster.apply(configMap("slow"));
    const manager = managerOf(cluster, clock);
    const context = manager.context(lease.name);
    let passes = 0;
    context.addController({
      name: "test",
      watches: [{ informer: context.informer(configMaps, { labelSelector: "mine=yes" }) }],
      passTimeoutMs: 30_000,
      reconcile: async (_, { signal }) => {
        passes += 1;
        if (passes === 1) await clock.sleep(1e9, signal);
        return done;
      },
    });
    start(manager, clock);
    await clock.until(() => passes === 2);
    const { text } = await manager.metrics.scrape();
    ok(text.includes('controller_runtime_reconcile_total{controller="test",result="error"} 1'), text);
    ok(text.includes('controller_runtime_reconcile_errors_total{controller="test"} 1'));
  });

  test("works on several keys at once, never on one key twice", async () => {
    const { clock, cluster } = await setUp();
    await cluster.apply(configMap("a"), configMap("b"), configMap("c"));
    const manager = managerOf(cluster, clock);
    const context = manager.context(lease.name);
    const informer = context.informer(configMaps, { labelSelector: "mine=yes" });
    const working = new Set<string>();
    let most = 0;
    let passes = 0;
    context.addController({
      name: "test",
      watches: [{ informer }],
      concurrency: 2,
      reconcile: async ({ name }) => {
        equal(working.has(name), false);
        working.add(name);
        most = Math.max(most, working.size);
        await clock.sleep(1000);
        working.delete(name);
        passes += 1;
        return done;
      },
    });
    start(manager, clock);
    await clock.advance(500);
    await cluster.apply(configMap("a", { x: "1" }), configMap("b", { x: "1" }), configMap("c", { x: "1" }));
    await clock.advance(20_000);
    equal(most, 2);
    equal(passes, 5);
  });

  test("a channel source wakes keys", async () => {
    const { clock, cluster } = await setUp();
    const manager = managerOf(cluster, clock);
    const seen: string[] = [];
    let wake: ((key: ObjectKey) => void) | undefined;
    manager.context(lease.name).addController({
      name: "test",
      watches: [],
      sources: [
        {
          subscribe: (waker) => {
            wake = waker;
            return () => (wake = undefined);
          },
        },
      ],
      reconcile: async ({ name }) => {
        seen.push(name);
        return done;
      },
    });
    const { stop } = start(manager, clock);
    await clock.until(() => wake !== undefined);
    wake?.({ namespace: "", name: "a" });
    await clock.until(() => seen.length === 1);
    await stop();
    equal(wake, undefined);
  });
});

describe("the lease", () => {
  test("nothing is written without it, and warm informers make the next leader act at once", async () => {
    const { clock, cluster } = await setUp();
    await cluster.apply(configMap("a"));
    const acted: string[] = [];
    const make = (identity: string): Manager => {
      const manager = managerOf(cluster, clock, { identity });
      const context = manager.context(lease.name);
      context.addController({
        name: "test",
        watches: [{ informer: context.informer(configMaps, { labelSelector: "mine=yes" }) }],
        reconcile: async () => {
          acted.push(identity);
          return done;
        },
      });
      return manager;
    };
    const [one, two] = [make("one"), make("two")];
    const first = start(one, clock);
    await clock.until(() => acted.length === 1);
    start(two, clock);
    await clock.advance(60_000);
    deepEqual(acted, ["one"]);
    deepEqual([one.held(), two.held()], [[lease.name], []]);
    const refused = { code: "RUNTIME_LEASE_LOST" };
    const context = two.context(lease.name);
    await rejects(context.client.create(configMaps, configMap("x")), refused);
    await rejects(context.client.delete({ resource: configMaps, namespace: "default", name: "a" }), refused);
    const remote = context.guard(cluster.clientFor("remote"));
    await rejects(remote.apply(configMaps, configMap("x"), { fieldManager: "f" }), refused);
    ok((await remote.list(configMaps)).items.length > 0);
    const { text } = await two.metrics.scrape();
    ok(text.includes(`controller_skips_total{group="${lease.name}",kind="ConfigMap",reason="lease"} 3`), text);

    const left = clock.now();
    await first.stop();
    await clock.until(() => acted.length === 2);
    deepEqual(acted, ["one", "two"]);
    ok(clock.now() - left <= 1000, `${clock.now() - left} ms`);
    const stored = await optional(
      cluster.client.get({
        resource: { ...configMaps, group: "coordination.k8s.io", kind: "Lease", plural: "leases" },
        ...lease,
      }),
    );
    ok(/"renewTime":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"/.test(JSON.stringify(stored)));
  });

  test("a leader that is cut off stops acting before another may act", async () => {
    const { clock, cluster } = await setUp();
    await cluster.apply(configMap("a"));
    let cut = false;
    const transport = new ScriptedTransport(() => new Promise(() => undefined));
    const partitioned = transportFrom((sent) => (cut ? transport.request(sent) : cluster.server.transport(sent)));
    const one = managerOf(cluster, clock, { client: createClient({ transport: partitioned, clock }) });
    const two = managerOf(cluster, clock, { identity: "two" });
    start(one, clock);
    await clock.until(() => one.held().length === 1);
    start(two, clock);
    await clock.advance(20_000);
    cut = true;
    const cutAt = clock.now();
    let lostAt = 0;
    await clock.until(() => {
      if (lostAt === 0 && one.held().length === 0) lostAt = clock.now();
      equal(one.held().length + two.held().length <= 1, true);
      return two.held().length === 1;
    });
    ok(lostAt > 0 && lostAt < clock.now());
    ok(clock.now() - cutAt <= 16_000, `${clock.now() - cutAt} ms`);
  });

  test("a group without a lease acts at once", async () => {
    const { clock, cluster } = await setUp();
    const manager = managerOf(cluster, clock, { leases: [{ ...lease, enabled: false }] });
    let ran = false;
    manager.context(lease.name).addRunnable("once", async () => {
      ran = true;
    });
    start(manager, clock);
    await clock.until(() => ran);
    await manager.context(lease.name).client.create(configMaps, configMap("x"));
    deepEqual(await cluster.list("coordination.k8s.io/v1", "Lease"), []);
  });
});

describe("stopping", () => {
  test("lets passes in work finish, and aborts them when they take too long", async () => {
    for (const [lengthMs, finishes] of [
      [5000, true],
      [60_000, false],
    ] as const) {
      const { clock, cluster } = await setUp();
      await cluster.apply(configMap("a"));
      const manager = managerOf(cluster, clock, { drainMs: 20_000 });
      const context = manager.context(lease.name);
      let started = false;
      let finished = false;
      const informer = context.informer(configMaps, { labelSelector: "mine=yes" });
      const reconcile = async (_: ObjectKey, { signal }: Context): Promise<Outcome> => {
        started = true;
        await clock.sleep(lengthMs, signal);
        await context.client.create(configMaps, configMap("written"), { signal });
        finished = true;
        return done;
      };
      context.addController({ name: "test", watches: [{ informer }], reconcile });
      const { stop } = start(manager, clock);
      await clock.until(() => started);
      await stop();
      equal(finished, finishes);
      equal(
        (await cluster.list("v1", "ConfigMap")).some(({ metadata }) => metadata.name === "written"),
        finishes,
      );
    }
  });

  test("a runnable that fails ends the manager with its error", async () => {
    const { clock, cluster } = await setUp();
    const manager = managerOf(cluster, clock);
    manager
      .context(lease.name)
      .addRunnable("broken", () => Promise.reject(new Error("port in use")), { needsLease: false });
    const running = manager.run(new AbortController().signal);
    const failed = rejects(running, /port in use/);
    await clock.advance(30_000);
    await failed;
  });

  test("leaves no timer behind", async () => {
    const { clock, cluster } = await setUp();
    const manager = managerOf(cluster, clock);
    const context = manager.context(lease.name);
    context.addController({
      name: "test",
      watches: [{ informer: context.informer(configMaps) }],
      reconcile: async () => done,
    });
    const before = clock.pending;
    const { stop } = start(manager, clock);
    await clock.advance(5000);
    await stop();
    equal(clock.pending, before);
  });
});

describe("informers", () => {
  test("of the same kind and selection are one; indexes are added, a transform makes another", async () => {
    const { clock, cluster } = await setUp();
    const context = managerOf(cluster, clock).context(lease.name);
    const plain = context.informer(configMaps, { labelSelector: "mine=yes" });
    equal(context.informer(configMaps, { labelSelector: "mine=yes", indexes: { all: () => ["x"] } }), plain);
    deepEqual(plain.store.byIndex("all", "x"), []);
    equal(context.informer(configMaps) === plain, false);
    const transform = (object: AnyObject): AnyObject => object;
    equal(context.informer(configMaps, { labelSelector: "mine=yes", transform }) === (plain as unknown), false);
  });

  test("keep metadata only, or what a transform leaves", async () => {
    const { clock, cluster } = await setUp();
    await cluster.apply(configMap("a", { large: "x".repeat(1000) }));
    const manager = managerOf(cluster, clock);
    const context = manager.context(lease.name);
    const labelSelector = "mine=yes";
    const bare = context.informer(configMaps, { labelSelector, metadataOnly: true });
    const cut = context.informer(configMaps, {
      labelSelector,
      transform: (object) => ({ ...object, data: Object.keys(object["data"] ?? {}) }),
    });
    start(manager, clock);
    await clock.until(() => bare.synced && cut.synced);
    const key = { namespace: "default", name: "a" };
    deepEqual([bare.store.get(key)?.["data"], bare.store.get(key)?.kind], [undefined, "ConfigMap"]);
    deepEqual(cut.store.get(key)?.["data"], ["large"]);
    await cluster.apply(configMap("a", { small: "y" }));
    await clock.until(() => JSON.stringify(cut.store.get(key)).includes("small"));
    equal(bare.store.get(key)?.["data"], undefined);
  });

  test("of another cluster wake keys too, and hold nothing up when it does not answer", async () => {
    const { clock, cluster } = await setUp();
    const { cluster: other } = await setUp();
    await cluster.apply(configMap("here"));
    await other.apply(configMap("there"));
    const transport = new ScriptedTransport(() => ({ status: 503 }));
    const silent = createClient({ transport, clock });
    const manager = managerOf(cluster, clock);
    const context = manager.context(lease.name);
    const selection = { labelSelector: "mine=yes" };
    const here = context.informer(configMaps, selection);
    const there = context.informer(configMaps, { ...selection, client: other.clientFor("manager") });
    const nowhere = context.informer(configMaps, { ...selection, client: silent });
    const seen: string[] = [];
    context.addController({
      name: "test",
      watches: [{ informer: here }, { informer: there }, { informer: nowhere }],
      reconcile: async ({ name }) => {
        seen.push(name);
        return done;
      },
    });
    start(manager, clock);
    await clock.until(() => seen.length === 2);
    deepEqual(seen.sort(), ["here", "there"]);
    deepEqual([here.synced, nowhere.synced, manager.unready()], [true, false, []]);
    await other.apply(configMap("later"));
    await clock.until(() => seen.includes("later"));
    const { text } = await manager.metrics.scrape();
    ok(text.includes('informer_objects{kind="ConfigMap"} 3'), "objects of all informers of a kind are counted");
  });

  test("hand out frozen objects in tests", async () => {
    const { clock, cluster } = await setUp();
    await cluster.apply(configMap("a"));
    const manager = managerOf(cluster, clock);
    const informer = manager.context(lease.name).informer(configMaps);
    start(manager, clock);
    await clock.until(() => informer.synced);
    const [object] = informer.store.list();
    ok(object !== undefined && Object.isFrozen(object) && Object.isFrozen(object.metadata.labels));
  });
});

test("a kind that may not be listed stops its own group alone, and is named with the reason", async () => {
  const { clock, cluster } = await setUp();
  const message = 'secrets is forbidden: User "x" cannot list resource "secrets" in API group ""';
  const body = JSON.stringify({ kind: "Status", code: 403, reason: "Forbidden", message });
  const transport = transportFrom(async (request) =>
    request.method === "GET" && request.path.startsWith("/api/v1/secrets")
      ? { status: 403, headers: {}, body: [Buffer.from(body)].values() as unknown as AsyncIterable<Uint8Array> }
      : cluster.server.transport(request),
  );
  const other = { ...lease, name: "other.kyma-project.io" };
  const manager = managerOf(cluster, clock, { client: createClient({ transport, clock }), leases: [lease, other] });
  const passes: string[] = [];
  const addTo = (group: string, resource: Resource): void => {
    const context = manager.context(group);
    context.addController({
      name: resource.plural,
      watches: [{ informer: context.informer(resource, { labelSelector: "mine=yes" }) }],
      reconcile: async ({ name }) => {
        passes.push(`${resource.plural} ${name}`);
        // What is written of a kind that nobody here has read is not waited for.
        const metadata = { namespace: "default", name: `of-${name}`, labels: { mine: "yes" } };
        const secret = { apiVersion: "v1", kind: "Secret", metadata };
        await context.client.apply(secrets, secret, { fieldManager: "test" });
        return done;
      },
    });
  };
  addTo(lease.name, configMaps);
  addTo(other.name, secrets);
  start(manager, clock);
  await clock.advance(1000);
  await cluster.apply(configMap("a"));
  await clock.advance(1000);
  await cluster.apply(configMap("b"));
  await clock.advance(1000);
  deepEqual(passes, ["configmaps a", "configmaps b"]);
  equal(manager.unready().length, 1);
  match(manager.unready().join("\n"), /^the first list of secrets is not complete: .* cannot list resource "secrets"/);
});

test("unready names what is missing", async () => {
  const { clock, cluster } = await setUp();
  const manager = managerOf(cluster, clock);
  manager.context(lease.name).informer(configMaps);
  deepEqual(manager.unready(), ["the first list of configmaps is not complete"]);
  start(manager, clock);
  await clock.settle();
  deepEqual(manager.unready(), []);
});

test("a watch that has been silent for too long makes the process unready, until it speaks again", async () => {
  const { clock, cluster } = await setUp();
  const transport = new FaultTransport(cluster.server.transport, clock, {});
  const client = createClient({ transport, clock });
  const manager = managerOf(cluster, clock, { client });
  manager.context(lease.name).informer(configMaps);
  start(manager, clock);
  await clock.settle();
  transport.partitioned = true;
  await clock.advance(16 * 60_000);
  match(manager.unready().join("\n"), /^the watch of configmaps has been silent for \d+ ms: .*no answer/);
  transport.partitioned = false;
  await clock.advance(120_000);
  deepEqual(manager.unready(), []);
});
