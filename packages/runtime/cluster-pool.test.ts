import { deepEqual, equal, notEqual, ok, rejects, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { builtIn, type ClusterAccess, kubeErrors } from "@kyma-operators/kube";
import { FakeClock, type ScriptedAnswer, ScriptedStream, ScriptedTransport } from "../../testing/index.ts";
import { type ClusterPoolOptions, createClusterPool } from "./cluster-pool.ts";
import { createMetrics } from "./metrics.ts";

const { pods } = builtIn;
const pod = { resource: pods, namespace: "a", name: "b" };
const fine: ScriptedAnswer = { body: { metadata: { name: "b" } } };
const detail = { host: "h", method: "GET", path: "/" };

const kubeconfig = (token: string, server = "https://api.example.com"): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    clusters: [{ name: "k", cluster: { server } }],
    users: [{ name: "u", user: { token } }],
  });

function setUp(options: Partial<ClusterPoolOptions> = {}) {
  const clock = new FakeClock();
  const metrics = createMetrics();
  const transports: ScriptedTransport[] = [];
  const accesses: ClusterAccess[] = [];
  let answer: () => ScriptedAnswer | Promise<ScriptedAnswer> = () => fine;
  const connect = (access: ClusterAccess): ScriptedTransport => {
    const transport = new ScriptedTransport(() => answer());
    transports.push(transport);
    accesses.push(access);
    return transport;
  };
  const pool = createClusterPool({ clock, metrics, connect, random: () => 0, ...options });
  const sent = (): number => transports.reduce((sum, { requests }) => sum + requests.length, 0);
  const cluster = () => pool.get("one", { kubeconfig: kubeconfig("t"), version: "1" });
  return {
    clock,
    metrics,
    transports,
    accesses,
    pool,
    cluster,
    sent,
    answers: (next: typeof answer) => (answer = next),
  };
}

describe("clients are kept", () => {
  test("one per key and version, made from the kubeconfig", async () => {
    const { pool, transports, accesses } = setUp();
    const first = pool.get("one", { kubeconfig: kubeconfig("t1"), version: "1" });
    equal(pool.get("one", { kubeconfig: kubeconfig("t1"), version: "1" }), first);
    await first.client.get(pod);
    const second = pool.get("one", { kubeconfig: kubeconfig("t2"), version: "2" });
    notEqual(second, first);
    pool.get("two", { kubeconfig: kubeconfig("t1") });
    equal(pool.size, 2);
    deepEqual(
      accesses.map(({ server }) => server),
      Array.from({ length: 3 }, () => "https://api.example.com"),
    );
    deepEqual(
      transports.map(({ closed }) => closed),
      [true, false, false],
    );
    await pool.close();
    deepEqual(
      transports.map(({ closed }) => closed),
      [true, true, true],
    );
  });

  test("the kubeconfig is read only when a client is made", () => {
    const { pool } = setUp();
    let read = 0;
    const text = (): string => {
      read += 1;
      return kubeconfig("t");
    };
    for (const version of ["1", "1", "2"]) pool.get("one", { kubeconfig: text, version });
    equal(read, 2);
  });

  test("without a version the text itself decides", () => {
    const { pool } = setUp();
    const first = pool.get("one", { kubeconfig: kubeconfig("t1") });
    equal(pool.get("one", { kubeconfig: kubeconfig("t1") }), first);
    notEqual(pool.get("one", { kubeconfig: kubeconfig("t2") }), first);
  });

  test("until they are old", async () => {
    const { pool, clock, cluster } = setUp({ maxAgeMs: 60_000 });
    const first = cluster();
    await clock.advance(59_999);
    equal(cluster(), first);
    await clock.advance(1);
    notEqual(cluster(), first);
    equal(pool.size, 1);
  });

  test("a hostile kubeconfig gives no client", () => {
    const { pool, transports } = setUp();
    const text = kubeconfig("t").replace('"token":"t"', '"exec":{"command":"sh"}');
    throws(() => pool.get("one", { kubeconfig: text }), {
      code: "KUBE_KUBECONFIG",
      message: /^kubeconfig of one: users\[0\].user/,
    });
    equal(transports.length, 0);
  });

  test("an evicted client lets its requests end before it is closed", async () => {
    const { pool, clock, cluster, transports, answers } = setUp();
    const stream = new ScriptedStream();
    answers(() => ({ stream }));
    const { client } = cluster();
    const listing = client.get(pod);
    await clock.settle();
    pool.evict("one");
    equal(transports[0]?.closed, false);
    stream.push('{"metadata":{"name":"late"}}');
    stream.end();
    equal((await listing).metadata.name, "late");
    await clock.advance(30_000);
    equal(transports[0]?.closed, true);
  });
});

describe("eviction by what the cluster says", () => {
  const refused = { status: 401, body: { kind: "Status", code: 401, reason: "Unauthorized" } };
  const cases: readonly (readonly [string, ScriptedAnswer, boolean])[] = [
    ["401", refused, true],
    ["a TLS error", { error: kubeErrors.TLS(detail) }, true],
    ["a DNS error", { error: kubeErrors.DNS(detail) }, true],
    ["a refused connection", { error: kubeErrors.CONNECTION(detail) }, false],
    ["403", { status: 403, body: {} }, false],
    ["404", { status: 404, body: {} }, false],
    ["500", { status: 500, body: {} }, false],
  ];
  for (const [name, answer, evicts] of cases) {
    test(`${name} ${evicts ? "evicts" : "does not evict"}`, async () => {
      const { pool, cluster, answers } = setUp();
      answers(() => answer);
      await rejects(cluster().client.get(pod));
      equal(pool.size, evicts ? 0 : 1);
    });
  }

  test("an old client does not evict its successor", async () => {
    const { pool, answers } = setUp();
    const old = pool.get("one", { kubeconfig: kubeconfig("t1"), version: "1" });
    pool.get("one", { kubeconfig: kubeconfig("t2"), version: "2" });
    answers(() => refused);
    await rejects(old.client.get(pod));
    equal(pool.size, 1);
  });

  test("failures are counted by class", async () => {
    const { metrics, cluster, answers } = setUp();
    const server = { status: 503, body: {} };
    const throttled = { status: 429, body: {} };
    for (const answer of [refused, server, { error: kubeErrors.CONNECTION(detail) }, throttled]) {
      answers(() => answer);
      await rejects(cluster().client.get(pod));
    }
    const { text } = await metrics.scrape();
    for (const problem of ["unauthorized", "throttled", "server", "connection"]) {
      ok(text.includes(`remote_cluster_errors_total{class="${problem}"} 1`), text);
    }
  });
});

describe("a cluster that does not answer is left alone", () => {
  const broken = (): ScriptedAnswer => ({ error: kubeErrors.DNS(detail) });

  test("after three failures, for ten seconds, then twenty, until a trial succeeds", async () => {
    const { clock, cluster, sent, answers } = setUp();
    answers(broken);
    for (let index = 0; index < 3; index += 1) await rejects(cluster().client.get(pod), { code: "KUBE_DNS" });
    equal(cluster().down, true);
    await rejects(cluster().client.get(pod), { code: "RUNTIME_CLUSTER_DOWN", message: /cluster one .* in 8 s/ });
    equal(sent(), 3);
    await clock.advance(8000);
    await rejects(cluster().client.get(pod), { code: "KUBE_DNS" });
    await clock.advance(15_999);
    await rejects(cluster().client.get(pod), { code: "RUNTIME_CLUSTER_DOWN" });
    await clock.advance(1);
    answers(() => fine);
    await cluster().client.get(pod);
    equal(cluster().down, false);
    equal(sent(), 5);
  });

  test("until its Secret names another address", async () => {
    const { pool, metrics, cluster, answers } = setUp();
    answers(broken);
    for (let index = 0; index < 3; index += 1) await rejects(cluster().client.get(pod));
    answers(() => fine);
    const touched = pool.get("one", { kubeconfig: kubeconfig("t2"), version: "2" });
    await rejects(touched.client.get(pod), { code: "RUNTIME_CLUSTER_DOWN" });
    const moved = pool.get("one", { kubeconfig: kubeconfig("t", "https://new.example.com"), version: "3" });
    await moved.client.get(pod);
    equal((await metrics.scrape()).text.includes('remote_cluster_down{cluster="one"}'), false);
  });

  test("and named in a metric until it answers again", async () => {
    const { clock, metrics, cluster, answers } = setUp();
    const isNamed = async () => (await metrics.scrape()).text.includes('remote_cluster_down{cluster="one"} 1');
    answers(broken);
    for (let index = 0; index < 3; index += 1) {
      equal(await isNamed(), false);
      await rejects(cluster().client.get(pod));
    }
    equal(await isNamed(), true);
    await clock.advance(8000);
    await rejects(cluster().client.get(pod));
    equal(await isNamed(), true);
    answers(() => fine);
    await clock.advance(16_000);
    await cluster().client.get(pod);
    equal(await isNamed(), false);
  });

  test("and named no longer once nobody asks for it, until it fails somebody again", async () => {
    const { clock, metrics, cluster, answers } = setUp();
    const isNamed = async () => (await metrics.scrape()).text.includes('remote_cluster_down{cluster="one"} 1');
    answers(broken);
    for (let index = 0; index < 3; index += 1) await rejects(cluster().client.get(pod));
    for (let round = 0; round < 12; round += 1) {
      await clock.advance(300_000);
      await rejects(cluster().client.get(pod));
      equal(await isNamed(), true);
    }
    await clock.advance(600_000 + 300_000);
    equal(await isNamed(), false);
    await rejects(cluster().client.get(pod), { code: "KUBE_DNS" });
    equal(await isNamed(), true);
  });

  test("and named as soon as fewer than a hundred others are", async () => {
    const { clock, metrics, pool, answers } = setUp();
    const ask = (key: string) => pool.get(key, { kubeconfig: kubeconfig("t"), version: "1" }).client.get(pod);
    const named = async () => [
      ...(await metrics.scrape()).text.matchAll(/^remote_cluster_down\{cluster="(\w+)"\} 1$/gm),
    ];
    const isNamed = async (key: string) => (await named()).some(([, name]) => name === key);
    answers(broken);
    const keys = Array.from({ length: 101 }, (_, index) => `c${index}`);
    for (const key of keys) for (let index = 0; index < 3; index += 1) await rejects(ask(key));
    deepEqual([(await named()).length, await isNamed("c100")], [100, false]);
    await clock.advance(8000);
    answers(() => fine);
    await ask("c0");
    answers(broken);
    await rejects(ask("c100"));
    deepEqual([await isNamed("c0"), await isNamed("c100")], [false, true]);
  });

  test("and named no longer than that when the clock is set back", async () => {
    const { clock, metrics, cluster, answers } = setUp();
    const isNamed = async () => (await metrics.scrape()).text.includes('remote_cluster_down{cluster="one"} 1');
    answers(broken);
    await rejects(cluster().client.get(pod));
    clock.jump(-3_600_000);
    for (let index = 0; index < 2; index += 1) await rejects(cluster().client.get(pod));
    equal(await isNamed(), true);
    await clock.advance(8_000 + 600_000);
    equal(await isNamed(), false);
  });

  test("only one trial at a time", async () => {
    const { clock, cluster, sent, answers } = setUp();
    answers(broken);
    for (let index = 0; index < 3; index += 1) await rejects(cluster().client.get(pod));
    await clock.advance(8000);
    const { promise, resolve } = Promise.withResolvers<ScriptedAnswer>();
    answers(() => promise);
    const trial = cluster().client.get(pod);
    await rejects(cluster().client.get(pod), { code: "RUNTIME_CLUSTER_DOWN" });
    equal(sent(), 4);
    resolve(fine);
    await trial;
    await cluster().client.get(pod);
  });

  test("a trial whose caller gives up lets another one try", async () => {
    const { clock, cluster, answers } = setUp();
    answers(broken);
    for (let index = 0; index < 3; index += 1) await rejects(cluster().client.get(pod));
    await clock.advance(8000);
    answers(() => new Promise(() => undefined));
    const stop = new AbortController();
    const trial = cluster().client.get(pod, { signal: stop.signal });
    stop.abort(kubeErrors.CLOSED({ host: "h" }));
    await rejects(trial);
    answers(() => fine);
    await cluster().client.get(pod);
  });

  test("silence counts as a failure, answers of any kind do not", async () => {
    const { clock, cluster, answers } = setUp();
    answers(() => ({ status: 500, body: {} }));
    for (let index = 0; index < 5; index += 1) await rejects(cluster().client.get(pod));
    equal(cluster().down, false);
    answers(() => new Promise(() => undefined));
    for (let index = 0; index < 3; index += 1) {
      const silent = rejects(cluster().client.get(pod, { timeoutMs: 1000 }), { code: "KUBE_TIMEOUT" });
      await clock.advance(1000);
      await silent;
    }
    equal(cluster().down, true);
  });

  test("the neighbours notice nothing", async () => {
    const { pool, cluster, answers } = setUp();
    answers(broken);
    for (let index = 0; index < 3; index += 1) await rejects(cluster().client.get(pod));
    answers(() => fine);
    await pool.get("two", { kubeconfig: kubeconfig("t") }).client.get(pod);
  });
});

describe("the rate budget", () => {
  test("lets a burst pass, spreads the rest, and refuses what would wait too long", async () => {
    const { clock, cluster, sent } = setUp({ budget: { perSecond: 2, burst: 3 } });
    const results = Array.from({ length: 6 }, () =>
      cluster()
        .client.get(pod)
        .catch((error: { code: string }) => error.code),
    );
    await clock.settle();
    equal(sent(), 3);
    await clock.advance(500);
    equal(sent(), 4);
    await clock.advance(500);
    equal(sent(), 5);
    equal((await Promise.all(results)).at(-1), "RUNTIME_CLUSTER_BUSY");
  });

  test("429 with Retry-After stops everything to that cluster for so long", async () => {
    const { clock, cluster, sent, answers } = setUp();
    answers(() => ({ status: 429, headers: { "retry-after": "7" }, body: {} }));
    await rejects(cluster().client.get(pod), { code: "KUBE_TOO_MANY_REQUESTS" });
    answers(() => fine);
    await rejects(cluster().client.get(pod), { code: "RUNTIME_CLUSTER_BUSY", message: /in 7 s/ });
    equal(sent(), 1);
    await clock.advance(7000);
    await cluster().client.get(pod);
  });
});
