import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { type AnyObject, builtIn, type Client, kubeErrors, systemClock } from "@kyma-operators/kube";
import { FakeClock, startCluster, type TestCluster } from "../../testing/index.ts";
import { conflictsOf } from "./apply-conflicts.ts";
import { connectivityProblem } from "./connectivity.ts";
import { debugPages } from "./debug-pages.ts";
import { BackgroundRecorder } from "./events.ts";
import { ensureFinalizer, hasFinalizer, removeFinalizer } from "./finalizers.ts";
import { intentHash } from "./hash.ts";
import { createLogger, isLogLevel, silentLogger } from "./logger.ts";
import { createMetrics } from "./metrics.ts";
import { healthPages, metricsPages, serveOperations } from "./operations-server.ts";
import { ownerReferenceTo, specChanged, toOwner } from "./owners.ts";
import { observeRequests } from "./rest-metrics.ts";
import { patchStatus } from "./status.ts";

const { configMaps, deployments } = builtIn;
const finalizer = "test.kyma-project.io/one";

let clock: FakeClock;
let cluster: TestCluster;
beforeAll(async () => {
  clock = new FakeClock();
  cluster = await startCluster({ clock, workload: false });
});
afterAll(() => cluster.stop());

async function configMap(name: string, finalizers: string[] = []): Promise<AnyObject> {
  const metadata = { name, namespace: "default", ...(finalizers.length > 0 ? { finalizers } : {}) };
  return cluster.client.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata });
}
const current = (name: string): Promise<AnyObject> =>
  cluster.client.get({ resource: configMaps, namespace: "default", name });

describe("finalizers", () => {
  test("are added once, beside others, and removed alone", async () => {
    const bare = await configMap("bare");
    equal(await ensureFinalizer(cluster.client, configMaps, bare, { finalizer }), true);
    const one = await current("bare");
    deepEqual(one.metadata.finalizers, [finalizer]);
    equal(await ensureFinalizer(cluster.client, configMaps, one, { finalizer }), false);
    equal(await ensureFinalizer(cluster.client, configMaps, one, { finalizer: "other.io/x" }), true);
    const two = await current("bare");
    equal(await removeFinalizer(cluster.client, configMaps, two, { finalizer }), true);
    deepEqual((await current("bare")).metadata.finalizers, ["other.io/x"]);
    equal(hasFinalizer(two, finalizer), true);
  });

  test("adding on an old read fails, and takes away nobody's", async () => {
    const old = await configMap("old");
    await ensureFinalizer(cluster.client, configMaps, old, { finalizer: "other.io/x" });
    await rejects(ensureFinalizer(cluster.client, configMaps, old, { finalizer }), {
      code: "RUNTIME_CHANGED",
      retry: "backoff",
    });
    deepEqual((await current("old")).metadata.finalizers, ["other.io/x"]);
  });

  test("removing by an old position fails instead of removing another", async () => {
    const both = await configMap("both", ["a.io/a", finalizer, "c.io/c"]);
    await removeFinalizer(cluster.client, configMaps, both, { finalizer: "a.io/a" });
    await rejects(removeFinalizer(cluster.client, configMaps, both, { finalizer }), { code: "RUNTIME_CHANGED" });
    deepEqual((await current("both")).metadata.finalizers, [finalizer, "c.io/c"]);
  });

  test("removing can ask for the object as it was read", async () => {
    const read = await configMap("read", [finalizer]);
    await cluster.apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "read", namespace: "default" },
      data: { a: "b" },
    });
    const change = { finalizer, unchanged: true };
    await rejects(removeFinalizer(cluster.client, configMaps, read, change), { code: "RUNTIME_CHANGED" });
    equal(await removeFinalizer(cluster.client, configMaps, await current("read"), change), true);
    deepEqual((await current("read")).metadata.finalizers, undefined);
  });

  test("an object that is gone is fine", async () => {
    const gone = await configMap("gone", [finalizer]);
    await cluster.client.delete({ resource: configMaps, namespace: "default", name: "gone" });
    equal(await removeFinalizer(cluster.client, configMaps, gone, { finalizer }), true);
    equal(await removeFinalizer(cluster.client, configMaps, gone, { finalizer }), true);
  });
});

describe("patchStatus", () => {
  test("writes the difference, and nothing when there is none", async () => {
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { selector: { matchLabels: { a: "b" } }, template };
    const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d", namespace: "default" }, spec };
    const client = cluster.clientFor("status");
    type WithStatus = AnyObject & { status?: { replicas?: number; observedGeneration?: number } };
    const observed = (await client.create(deployments, object)) as WithStatus;
    const written = await patchStatus(client, deployments, { observed, status: { replicas: 2 } });
    equal(written.status?.replicas, 2);
    const before = cluster.requests.length;
    equal(await patchStatus(client, deployments, { observed: written, status: { ...written.status } }), written);
    equal(cluster.requests.length, before);
    const cleared = await patchStatus(client, deployments, { observed: written, status: { observedGeneration: 1 } });
    deepEqual(cleared.status, { observedGeneration: 1 });
  });
});

describe("events", () => {
  const recorder = () => {
    const client = cluster.clientFor("events");
    return new BackgroundRecorder({ client, clock, log: silentLogger, controller: "test.io/c", instance: "one" });
  };
  const recorded = async (name: string): Promise<AnyObject[]> =>
    (await cluster.list("events.k8s.io/v1", "Event")).filter(
      ({ regarding }) => (regarding as { name: string }).name === name,
    );

  test("one that comes back becomes a series, whose count is written at most once a minute", async () => {
    const events = recorder();
    const object = await configMap("eventful");
    const event = { type: "Warning", reason: "Broken", note: "the layer is broken" } as const;
    const count = async () => ((await recorded("eventful"))[0]?.["series"] as { count: number } | undefined)?.count;
    for (let index = 0; index < 5; index += 1) events.event(object, event);
    await clock.settle();
    equal(await count(), 5);
    for (let index = 0; index < 3; index += 1) events.event(object, event);
    await clock.advance(59_000);
    equal(await count(), 5);
    await clock.advance(1_000);
    equal(await count(), 8);
    const [only, ...others] = await recorded("eventful");
    deepEqual(others, []);
    equal(only?.["reason"], "Broken");
    equal(only?.["action"], "Broken");
    match(String(only?.["eventTime"]), /\.\d{6}Z$/);
    // What was gathered is written before the process ends.
    events.event(object, event);
    await events.flush();
    equal(await count(), 9);
    await clock.advance(700_000);
    events.event(object, event);
    await events.flush();
    equal((await recorded("eventful")).length, 2);
  });

  test("each says the controller that its readers know", async () => {
    const events = recorder();
    const [ours, theirs] = [await configMap("ours"), await configMap("theirs")];
    const event = { type: "Normal", reason: "Done", note: "done" } as const;
    events.event(ours, event);
    events.reportingAs("lifecycle-manager").event(theirs, event);
    await events.flush();
    const reporters = async (name: string) =>
      (await recorded(name)).map(({ reportingController }) => String(reportingController)).sort();
    deepEqual([await reporters("ours"), await reporters("theirs")], [["test.io/c"], ["lifecycle-manager"]]);
    // The same words about the same object are two events when two controllers say them.
    events.reportingAs("lifecycle-manager").event(ours, event);
    await events.flush();
    deepEqual(await reporters("ours"), ["lifecycle-manager", "test.io/c"]);
  });

  test("repetitions of one that is still on its way leave room for others", async () => {
    const told: string[] = [];
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    const create = async (_: unknown, { note }: AnyObject) => {
      told.push(String(note));
      await answer;
    };
    const mergePatch = async (_: unknown, patch: unknown) => void told.push(JSON.stringify(patch));
    const client = { create, mergePatch } as unknown as Client;
    const events = new BackgroundRecorder({ client, clock, log: silentLogger, controller: "c", instance: "one" });
    const object = await configMap("slow");
    for (let index = 0; index < 1500; index += 1) events.event(object, { type: "Normal", reason: "R", note: "again" });
    events.event(object, { type: "Normal", reason: "R", note: "other" });
    resolve();
    await events.flush();

    deepEqual(told.slice(0, 2), ["again", "other"]);
    match(told.slice(2).join(), /^\{"series":\{"count":1500,[^}]*\}\}$/);
  });

  test("a note is redacted and shortened, and a refusal harms nobody", async () => {
    const events = recorder();
    const object = await configMap("secretive");
    events.event(object, { type: "Normal", reason: "Noted", note: `Bearer abcdefgh12345 ${"ä".repeat(2000)}` });
    events.event(
      { ...object, metadata: { name: "x", namespace: "missing" } },
      { type: "Normal", reason: "R", note: "n" },
    );
    await events.flush();
    const note = String((await recorded("secretive"))[0]?.["note"]);
    equal(note.includes("abcdefgh12345"), false);
    ok(Buffer.byteLength(note) <= 1024);
  });
});

describe("small helpers", () => {
  test("conflictsOf names managers and fields", () => {
    const causes = [
      { field: ".spec.replicas", message: 'conflict with "kubectl" using apps/v1', reason: "FieldManagerConflict" },
    ];
    const error = kubeErrors.APPLY_CONFLICT({
      method: "PATCH",
      path: "/",
      status: 409,
      reason: "Conflict",
      message: "m",
      causes,
    });
    deepEqual(conflictsOf(error), [{ manager: "kubectl", field: ".spec.replicas" }]);
    deepEqual(conflictsOf(new Error("x")), []);
  });

  test("connectivityProblem tells clusters from requests", () => {
    const detail = { host: "h", method: "GET", path: "/" };
    equal(connectivityProblem(kubeErrors.DNS(detail)), "dns");
    equal(
      connectivityProblem(kubeErrors.NOT_FOUND({ method: "GET", path: "/", status: 404, reason: "", message: "" })),
      undefined,
    );
    equal(connectivityProblem(new Error("x")), undefined);
  });

  test("intentHash depends on values, not on the order of fields", () => {
    equal(intentHash({ a: 1, b: { c: [1, 2], d: undefined } }), intentHash({ b: { c: [1, 2] }, a: 1 }));
    ok(intentHash({ a: [1, 2] }) !== intentHash({ a: [2, 1] }));
    match(intentHash({}), /^sha256:[0-9a-f]{64}$/);
  });

  test("owner references lead back to their owner, of the right group only", async () => {
    const owner = await configMap("owner");
    const reference = ownerReferenceTo(owner);
    const owned = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default", ownerReferences: [reference] },
    };
    const change = { type: "added", object: owned, initial: false } as const;
    deepEqual(toOwner({ group: "", kind: "ConfigMap" })(change), [{ namespace: "default", name: "owner" }]);
    deepEqual(toOwner({ group: "other.io", kind: "ConfigMap" })(change), []);
    deepEqual(toOwner({ group: "", kind: "Secret" })(change), []);
  });

  test("specChanged drops updates of the status alone", () => {
    const old: AnyObject = { apiVersion: "v1", kind: "X", metadata: { generation: 1, labels: { a: "b" } }, status: 1 };
    const updated = (object: AnyObject) => specChanged({ type: "updated", old, object });
    equal(updated({ ...old, status: 2 }), false);
    equal(updated({ ...old, metadata: { ...old.metadata, generation: 2 } }), true);
    equal(updated({ ...old, metadata: { ...old.metadata, labels: {} } }), true);
    equal(updated({ ...old, metadata: { ...old.metadata, deletionTimestamp: "x" } }), true);
    equal(specChanged({ type: "deleted", object: old }), true);
  });
});

describe("the logger", () => {
  test("writes one JSON line per call, redacts error texts, and changes its level for its children too", () => {
    const lines: string[] = [];
    const log = createLogger("info", { write: (line) => lines.push(line) });
    const child = log.child({ controller: "kyma" });
    child.debug({}, "hidden");
    child.info({ name: "a", error: "Bearer abcdefgh12345" }, "shown");
    log.level = "debug";
    child.debug({}, "now shown");
    log.level = "error";
    child.warn({}, "hidden");
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    deepEqual(
      parsed.map(({ level, msg, context }) => [level, msg, context]),
      [
        ["info", "shown", { controller: "kyma", name: "a", error: "Bearer [redacted]" }],
        ["debug", "now shown", { controller: "kyma" }],
      ],
    );
    equal(lines.join("").includes("abcdefgh12345"), false);
    match(String(parsed[0]?.["date"]), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    deepEqual([isLogLevel("warn"), isLogLevel("loud")], [true, false]);
  });
});

describe("the operations server", () => {
  const get = async (port: number, path: string, method = "GET"): Promise<[number, string]> => {
    const { request } = await import("undici");
    const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, { method: method as "GET" });
    return [statusCode, await body.text()];
  };

  test("serves metrics, health and readiness, and nothing else", async () => {
    const metrics = createMetrics();
    metrics.counter("things_total", "Things", ["kind"]).inc({ kind: "a" }, 2);
    observeRequests(metrics, "remote")({ host: "h", method: "GET", path: "/", code: "200", durationMs: 3 });
    let problems: string[] = ["the first list of kymas is not complete"];
    const server = await serveOperations("127.0.0.1:0", {
      ...metricsPages(metrics),
      ...healthPages({ unready: () => problems }),
    });
    const [status, text] = await get(server.port, "/metrics");
    equal(status, 200);
    ok(text.includes('things_total{kind="a"} 2'));
    ok(text.includes('rest_client_requests_total{code="200",host="remote",method="GET"} 1'));
    deepEqual(await get(server.port, "/healthz"), [200, "ok"]);
    deepEqual(await get(server.port, "/readyz?verbose"), [503, "the first list of kymas is not complete"]);
    problems = [];
    deepEqual(await get(server.port, "/readyz"), [200, "ok"]);
    equal((await get(server.port, "/toString"))[0], 404);
    equal((await get(server.port, "/metrics", "DELETE"))[0], 405);
    await rejects(serveOperations(`127.0.0.1:${server.port}`, {}), {
      code: "LISTEN_FAILED",
      message: /port is in use/,
    });
    await server.close();
  });

  test("debug pages change the log level and take profiles", async () => {
    const lines: string[] = [];
    const log = createLogger("info", { write: (line) => lines.push(line) });
    const server = await serveOperations("127.0.0.1:0", debugPages({ log, clock: systemClock }));
    deepEqual(await get(server.port, "/debug/log-level"), [200, "info"]);
    deepEqual(await get(server.port, "/debug/log-level?level=debug", "PUT"), [200, "debug"]);
    log.debug({}, "now");
    equal(lines.length, 1);
    equal((await get(server.port, "/debug/log-level?level=loud", "PUT"))[0], 400);
    equal((await get(server.port, "/debug/pprof/profile?seconds=0.01", "PUT"))[0], 405);
    for (const seconds of ["0", "-1", "x", "301"])
      equal((await get(server.port, `/debug/pprof/heap?seconds=${seconds}`))[0], 400);
    const [[first, cpu], [second]] = await Promise.all([
      get(server.port, "/debug/pprof/profile?seconds=0.1"),
      get(server.port, "/debug/pprof/profile?seconds=0.1"),
    ]);
    deepEqual(
      [first, second].toSorted((a, b) => a - b),
      [200, 409],
    );
    ok(first !== 200 || "nodes" in (JSON.parse(cpu) as object));
    const [, heap] = await get(server.port, "/debug/pprof/heap?seconds=0.05");
    ok("head" in (JSON.parse(heap) as object));
    await server.close();
  });

  test("an address that is none is refused with the form that is expected", async () => {
    for (const bind of ["8080", "host", ":99999", "a:b"])
      await rejects(serveOperations(bind, {}), { code: "LISTEN_ADDRESS" });
  });

  test("one metric name has one type", () => {
    const metrics = createMetrics();
    metrics.counter("x", "x");
    metrics.counter("x", "x").inc();
    throws(() => metrics.gauge("x", "x"), { code: "RUNTIME_NAME_TAKEN" });
  });
});
