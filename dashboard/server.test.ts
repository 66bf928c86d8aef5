import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, test } from "@jest/globals";
import { Secret } from "@kyma-operators/errors";
import type { KubeObject } from "@kyma-operators/kube";
import { silentLogger } from "@kyma-operators/runtime";
import { request } from "undici";
import type { Runtime } from "../apis/infrastructure/index.ts";
import {
  FakeClock,
  type FleetWorld,
  kymaObject,
  manifestObject,
  patiently,
  startFleetWorld,
} from "../testing/index.ts";
import { type Dashboard, type DashboardOptions, serveDashboard } from "./index.ts";

const token = "a-token-of-some-length";
const clock = new FakeClock();
let world: FleetWorld;
let dashboard: Dashboard;
beforeAll(async () => {
  world = await startFleetWorld(clock);
});
afterEach(async () => {
  await dashboard?.close();
  const left = (): readonly KubeObject[] =>
    [world.informers.kymas, world.informers.manifests].flatMap(({ store }) => [...store.list()]);
  for (const object of left()) await world.remove(object);
  await patiently(clock, () => left().length === 0);
});
afterAll(() => world.stop());

async function serve(options: Partial<DashboardOptions> = {}): Promise<Dashboard> {
  await patiently(clock, () => world.informers.kymas.synced && world.informers.manifests.synced);
  dashboard = await serveDashboard({
    bind: "127.0.0.1:0",
    sources: world.informers,
    namespace: "kcp-system",
    version: "1.2.3",
    clock,
    log: silentLogger,
    ...options,
  });
  return dashboard;
}

async function get(
  path: string,
  headers: Record<string, string> = {},
  method: "GET" | "POST" | "DELETE" | "HEAD" = "GET",
) {
  const { statusCode, headers: answered, body } = await request(new URL(path, dashboard.url), { method, headers });
  return { status: statusCode, headers: answered, text: await body.text() };
}

/** The views that a stream sends, as they come. */
async function watch(path: string) {
  const abort = new AbortController();
  const { body, statusCode } = await request(new URL(`/live?view=${encodeURIComponent(path)}`, dashboard.url), {
    signal: abort.signal,
  });
  const views: { title: string; main: string }[] = [];
  const state = { ended: false };
  const reading = (async () => {
    let rest = "";
    for await (const chunk of body) {
      rest += String(chunk);
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const data = /^data: (.*)$/m.exec(rest.slice(0, end))?.[1];
        if (data !== undefined) views.push(JSON.parse(data));
        rest = rest.slice(end + 2);
      }
    }
  })()
    .catch(() => undefined)
    .finally(() => (state.ended = true));
  const stop = async (): Promise<void> => {
    abort.abort();
    await reading;
  };
  return { status: statusCode, views, state, stop };
}

const kyma = (name: string, state: string, modules: readonly object[] = [], operation = "") => ({
  ...kymaObject(name, { channel: "regular" }),
  status: { state, modules, conditions: [], lastOperation: { operation } },
});

describe("the fleet page", () => {
  test("lists what there is with state and first blocker", async () => {
    const module = { name: "istio", state: "Error", channel: "regular", version: "1.0.0", message: "no such layer" };
    await world.put(kyma("one", "Error", [module]), kyma("two", "Ready"));
    await serve();
    await patiently(clock, () => world.informers.kymas.store.list().length === 2);
    const { status, text } = await get("/");
    equal(status, 200);
    match(text, /Needs attention: 1 Kyma, 1 Module\./);
    match(text, /<a href="\/kymas\/one"><bdi>one<\/bdi><\/a>/);
    match(text, /istio: no such layer/);
    match((await get("/?kind=modules")).text, /regular · 1\.0\.0/);
    match((await get("/?kind=modules&q=nothing")).text, /No Modules match <bdi>“nothing”<\/bdi>/);
  });

  test("says so where there is nothing", async () => {
    await serve();
    match((await get("/")).text, /No Kymas yet/);
  });

  test("lists only what the process watches", async () => {
    await serve({ sources: { runtimes: world.informers.runtimes } });
    const { text } = await get("/?kind=kymas");
    match(text, /<h2 id="list">Runtimes<\/h2>/);
    ok(!text.includes("Kymas</span>"));
    await dashboard.close();
    await serve({ sources: {} });
    match((await get("/")).text, /watch neither Runtimes nor Kymas/);
  });

  test("asks the cluster for nothing", async () => {
    await serve();
    await get("/");
    const before = world.cluster.requests.length;
    await get("/?kind=manifests&q=x");
    await get("/kymas/one");
    equal(world.cluster.requests.length, before);
  });

  test("shows hostile texts as texts", async () => {
    const canary = `<img src=x onerror="document.title='hacked'">`;
    const module = { name: "<b>x</b>", state: "Error", message: canary };
    await world.put(kyma("one", "Error", [module], canary));
    await serve();
    await patiently(clock, () => world.informers.kymas.store.list().length === 1);
    for (const path of [
      "/",
      "/?kind=modules",
      "/kymas/one",
      `/?q=${encodeURIComponent(canary)}`,
      `/kymas/${encodeURIComponent(canary)}`,
    ]) {
      const { text } = await get(path);
      ok(!text.includes("<img"), path);
      ok(!text.includes("<b>"), path);
    }
  });
});

describe("the page of a Kyma", () => {
  test("shows modules, conditions and what happened", async () => {
    await world.put(kyma("one", "Ready"));
    await serve();
    await patiently(clock, () => world.informers.kymas.store.list().length === 1);
    const { status, text } = await get("/kymas/one");
    equal(status, 200);
    match(text, /<title>one \(Ready\) – Kyma<\/title>/);
    match(text, /<strong><bdi>Created<\/bdi><\/strong>/);
  });

  test("shows objects without a spec too", async () => {
    const { apiVersion, kind, metadata, status } = kyma("one", "Ready");
    await world.put({ apiVersion, kind, metadata, status });
    const runtime = {
      kind: "Runtime",
      metadata: { name: "one", namespace: "kcp-system", labels: { "operator.kyma-project.io/kyma-name": "one" } },
    } as unknown as Runtime;
    const store = { list: () => [runtime], get: () => runtime, byIndex: () => [] };
    const { resource } = world.informers.runtimes;
    const runtimes = { resource, synced: true, store, onChange: () => () => undefined };
    await serve({ sources: { ...world.informers, runtimes } });
    await patiently(clock, () => world.informers.kymas.store.list().length === 1);
    match((await get("/kymas/one")).text, /<dt>Runtime<\/dt>.*Pending/);
  });

  test("of none is 404, for a name that is none too", async () => {
    await serve();
    equal((await get("/kymas/absent")).status, 404);
    equal((await get("/kymas/%E0%A4%A")).status, 404);
    equal((await get("/elsewhere")).status, 404);
  });
});

describe("the stream", () => {
  test("begins with the present and goes on with every change, many at once as one", async () => {
    await serve();
    const stream = await watch("/");
    await patiently(clock, () => stream.views.length === 1);
    match(stream.views[0]?.main ?? "", /No Kymas yet/);
    await world.put(...Array.from({ length: 20 }, (_, index) => kyma(`kyma-${index}`, "Processing")));
    await patiently(clock, () => stream.views.at(-1)?.main.includes("kyma-19") ?? false);
    ok(stream.views.length < 21, `${stream.views.length} views`);
    await world.put(kyma("kyma-3", "Error"));
    await patiently(clock, () => stream.views.at(-1)?.title === "(1) Kymas");
    await stream.stop();
  });

  test("is silent about what its page does not show", async () => {
    await world.put(kyma("one", "Ready"));
    await serve();
    await patiently(clock, () => world.informers.kymas.store.list().length === 1);
    const [one, fleet] = [await watch("/kymas/one"), await watch("/?kind=manifests")];
    await patiently(clock, () => one.views.length === 1 && fleet.views.length === 1);
    await world.put(manifestObject("sha256:0", {}, { name: "other-x", labels: {} }));
    await patiently(clock, () => fleet.views.length > 1);
    equal(one.views.length, 1);
    await Promise.all([one.stop(), fleet.stop()]);
  });

  test("of a Kyma that is deleted says so", async () => {
    await world.put(kyma("one", "Ready"));
    await serve();
    await patiently(clock, () => world.informers.kymas.store.list().length === 1);
    const stream = await watch("/kymas/one");
    await world.remove(kyma("one", "Ready"));
    await patiently(clock, () => stream.views.at(-1)?.main.includes("There is no Kyma of this name") ?? false);
    await stream.stop();
  });

  test("outlives a view that fails: the page is told to load again, and gets the error", async () => {
    const { kymas } = world.informers;
    const state = { failing: false };
    const list = () => {
      if (state.failing) throw new Error("an object that nobody expected");
      return kymas.store.list();
    };
    const getOne = kymas.store.get.bind(kymas.store);
    const byIndex = kymas.store.byIndex.bind(kymas.store);
    const onChange = kymas.onChange.bind(kymas);
    const source = { resource: kymas.resource, synced: true, store: { list, get: getOne, byIndex }, onChange };
    const logged: string[] = [];
    const log = { ...silentLogger, error: (_: object, text: string) => void logged.push(text) };
    await serve({ sources: { kymas: source }, log });
    const { views, stop } = await watch("/");
    await patiently(clock, () => views.length === 1);
    state.failing = true;
    await world.put(kyma("one", "Ready"));
    await patiently(clock, () => views.length === 2);
    deepEqual(views[1], {});
    equal((await get("/")).status, 500);
    deepEqual(logged, ["a view of the dashboard failed", "a page of the dashboard failed"]);
    state.failing = false;
    await world.put(kyma("two", "Ready"));
    await patiently(clock, () => views.length === 3);
    match(views[2]?.main ?? "", /two/);
    await stop();
  });

  test("is refused to one viewer too many, and to pages of other sites", async () => {
    await serve({ mostViewers: 1 });
    const stream = await watch("/");
    const refused = await get("/live?view=/");
    deepEqual([refused.status, refused.headers["retry-after"]], [503, "30"]);
    equal((await get("/live", { "sec-fetch-site": "cross-site" })).status, 403);
    await stream.stop();
    await patiently(clock, async () => (await watchOnce()) === 200);
  });

  async function watchOnce(): Promise<number> {
    const stream = await watch("/");
    await stream.stop();
    return stream.status;
  }
});

describe("who may read", () => {
  test("on loopback only those who ask for it by a name of this machine", async () => {
    await serve();
    equal((await get("/", { host: "rebound.example.org" })).status, 421);
    equal((await get("/live", { host: "rebound.example.org" })).status, 421);
  });

  test("elsewhere only those with the token; without a token it is not served at all", async () => {
    await rejects(serve({ bind: "0.0.0.0:0" }), /can be reached from other machines: name a token/);
    await rejects(serve({ bind: ":0" }), /can be reached from other machines/);
    await rejects(serve({ bind: "nonsense" }), /can't listen on nonsense: expected host:port/);
    await serve({ bind: "0.0.0.0:0", token: async () => new Secret(token) });
    const refused = await get("/");
    deepEqual([refused.status, refused.headers["www-authenticate"]], [401, "Bearer"]);
    match(refused.text, /<form method="post" action="\/sign-in">/);
    equal((await get("/live")).status, 401);
    equal((await get("/kymas/one")).status, 401);
    equal((await get("/", { authorization: `Bearer ${token}` })).status, 200);
  });

  test("the sign-in page gives a cookie for the token", async () => {
    await serve({ bind: "0.0.0.0:0", token: async () => new Secret(token) });
    const post = async (body: string, type = "application/x-www-form-urlencoded") => {
      const answer = await request(new URL("/sign-in", dashboard.url), {
        method: "POST",
        body,
        headers: { "content-type": type },
      });
      return {
        status: answer.statusCode,
        cookie: String(answer.headers["set-cookie"] ?? ""),
        text: await answer.body.text(),
      };
    };
    const wrong = await post("token=wrong");
    equal(wrong.status, 401);
    match(wrong.text, /This is not the token of this dashboard/);
    equal((await post(`token=${token}`, "text/plain")).status, 401);
    equal((await post(`token=${"x".repeat(20_000)}`)).status, 401);
    const { status, cookie } = await post(`token=${token}`);
    equal(status, 303);
    equal((await get("/", { cookie: cookie.slice(0, cookie.indexOf(";")) })).status, 200);
  });

  test("nobody changes anything", async () => {
    await serve();
    deepEqual([(await get("/", {}, "POST")).status, (await get("/kymas/x", {}, "DELETE")).status], [405, 405]);
    deepEqual([(await get("/", {}, "HEAD")).status, (await get("/live", {}, "HEAD")).status], [200, 405]);
  });

  test("every answer forbids what the page does not need", async () => {
    await serve();
    for (const path of ["/", "/absent", "/assets/absent"]) {
      const { headers } = await get(path);
      match(String(headers["content-security-policy"]), /^default-src 'none'; .*frame-ancestors 'none'$/);
      equal(headers["x-content-type-options"], "nosniff");
    }
  });
});

test("style and script are served with addresses that change with their content", async () => {
  await serve();
  const { text } = await get("/");
  const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
  equal(paths.length, 2);
  for (const path of paths) {
    const { status, headers } = await get(path);
    equal(status, 200);
    equal(headers["cache-control"], "public, max-age=31536000, immutable");
  }
  equal((await get("/assets/absent.js")).status, 404);
  equal((await get("/assets/../server.ts")).status, 404);
});
