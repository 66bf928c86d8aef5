import { equal, ok, rejects } from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, test } from "@jest/globals";
import { type AnyObject, builtIn, createClient } from "@kyma-operators/kube";
import { FakeClock, ScriptedStream, ScriptedTransport } from "../../testing/index.ts";
import { Expectations } from "./expectations.ts";
import { SharedInformer } from "./informer.ts";
import { silentLogger } from "./logger.ts";
import type { Selection } from "./reflector.ts";

const { pods } = builtIn;
const pod = (name: string, version: number, more: object = {}): AnyObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "a",
    uid: `uid-${name}`,
    resourceVersion: String(version),
    labels: { app: "x" },
    ...more,
  },
});
const never = new AbortController().signal;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function informerOn(transport: ScriptedTransport, clock: FakeClock, selection: Selection = {}) {
  const client = createClient({ transport, clock });
  const shared = { client, clock, random: () => 0.5, log: silentLogger, freeze: true, relistMs: 1e9 };
  return new SharedInformer<AnyObject>({
    ...shared,
    resource: pods,
    selection,
    transform: undefined,
    onFailure: () => undefined,
  });
}

/** An informer over a watch that a test feeds, and what waits for it. */
async function setUp(listed: readonly AnyObject[] = [], selection: Selection = {}) {
  const clock = new FakeClock();
  const streams: ScriptedStream[] = [];
  let items = listed;
  let listVersion = 5;
  const transport = new ScriptedTransport(({ path }) => {
    if (!path.includes("watch=true")) return { body: { metadata: { resourceVersion: String(listVersion) }, items } };
    const stream = new ScriptedStream();
    streams.push(stream);
    return { stream };
  });
  const expectations = new Expectations(clock, 10_000);
  const informer = informerOn(transport, clock, selection);
  expectations.follow(informer as never);
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  await clock.settle();
  const state = (): "settled" | "waiting" => {
    const wait = expectations.settled(never);
    wait?.catch(() => undefined);
    return wait === undefined ? "settled" : "waiting";
  };
  const send = async (type: string, object: AnyObject): Promise<void> => {
    streams.at(-1)?.event(type, object);
    await clock.settle();
  };
  const relist = async (next: readonly AnyObject[], version: number): Promise<void> => {
    [items, listVersion] = [next, version];
    streams.at(-1)?.event("ERROR", { kind: "Status", code: 410 });
    await clock.advance(5000);
  };
  /** What the next list shows, without any event about it. */
  const change = (next: readonly AnyObject[], version: number): void => {
    [items, listVersion] = [next, version];
  };
  const end = async (): Promise<void> => {
    stop.abort(new Error("stop"));
    await running;
  };
  return { clock, expectations, state, send, relist, change, end, informer };
}

const ref = { resource: pods, namespace: "a", name: "p" };

describe("own writes are waited for", () => {
  test("a create until it is shown, whatever else is shown before", async () => {
    const { expectations, state, send, end } = await setUp();
    equal(state(), "settled");
    expectations.written(pods, pod("p", 7));
    equal(state(), "waiting");
    await send("ADDED", pod("other", 6));
    equal(state(), "waiting");
    await send("ADDED", pod("p", 7));
    equal(state(), "settled");
    await end();
  });

  test("an update until its version or a newer one is shown", async () => {
    const { expectations, state, send, end } = await setUp([pod("p", 3)]);
    expectations.written(pods, pod("p", 9));
    await send("MODIFIED", pod("p", 8));
    equal(state(), "waiting");
    await send("MODIFIED", pod("p", 12));
    equal(state(), "settled");
    await end();
  });

  test("a write that changed nothing is not waited for", async () => {
    const { expectations, state, end } = await setUp([pod("p", 3)]);
    expectations.written(pods, pod("p", 3));
    equal(state(), "settled");
    await end();
  });

  test("a deletion until the object is gone, or marked", async () => {
    const { expectations, state, send, end } = await setUp([pod("p", 3), pod("q", 4)]);
    expectations.deleted(ref);
    expectations.deleted({ ...ref, name: "q" });
    await send("DELETED", pod("p", 6));
    equal(state(), "waiting");
    await send("MODIFIED", pod("q", 7, { deletionTimestamp: "2026-01-05T08:00:00Z" }));
    equal(state(), "settled");
    expectations.deleted({ ...ref, name: "never-there" });
    equal(state(), "settled");
    await end();
  });

  test("a create that is deleted before it was shown, until both were", async () => {
    const { expectations, state, send, end } = await setUp();
    expectations.written(pods, pod("p", 7));
    expectations.deleted(ref);
    await send("ADDED", pod("p", 7));
    equal(state(), "waiting");
    await send("DELETED", pod("p", 8));
    equal(state(), "settled");
    await end();
  });

  test("an object that was replaced meanwhile ends the wait", async () => {
    const { expectations, state, send, end } = await setUp([pod("p", 3)]);
    expectations.written(pods, pod("p", 9));
    await send("DELETED", pod("p", 10));
    equal(state(), "settled");
    await end();
  });

  test("a new list ends the wait when it is as new as the write, not when it is older", async () => {
    const { expectations, state, relist, end } = await setUp();
    expectations.written(pods, pod("p", 20));
    await relist([], 19);
    equal(state(), "waiting");
    await relist([], 21);
    equal(state(), "settled");
    await end();
  });

  test("what an informer never shows is not waited for", async () => {
    const elsewhere = await setUp([], { namespace: "b" });
    elsewhere.expectations.written(pods, pod("p", 7));
    equal(elsewhere.state(), "settled");
    await elsewhere.end();
    const others = await setUp([], { labelSelector: "app=y" });
    others.expectations.written(pods, pod("p", 7));
    equal(others.state(), "settled");
    await others.end();
  });

  test("an object that leaves the selection is waited for, until its removal is shown", async () => {
    const { expectations, state, send, end } = await setUp([pod("p", 3)], { labelSelector: "app=x" });
    expectations.written(pods, pod("p", 9, { labels: {} }));
    equal(state(), "waiting");
    await send("DELETED", pod("p", 9, { labels: {} }));
    equal(state(), "settled");
    await end();
  });

  test("only writes made before count, and the wait ends by itself", async () => {
    const { clock, expectations, send, end } = await setUp();
    expectations.written(pods, pod("p", 7));
    const first = expectations.settled(never);
    expectations.written(pods, pod("q", 8));
    const second = expectations.settled(never);
    const late = rejects(second ?? Promise.resolve(), {
      code: "RUNTIME_BEHIND",
      detail: { kinds: ["Pod"], afterMs: 10_000 },
    });
    await send("ADDED", pod("p", 7));
    await first;
    await clock.advance(10_000);
    await late;
    await end();
  });

  test("a lost event is found by a new list, when a write is not shown or the server contradicts three times", async () => {
    const { clock, expectations, state, informer, change, end } = await setUp();
    await clock.advance(60_000);
    change([pod("p", 7)], 7);
    expectations.written(pods, pod("p", 7));
    const late = rejects(expectations.settled(never) ?? Promise.resolve(), { code: "RUNTIME_BEHIND" });
    await clock.advance(10_000);
    await late;
    await clock.advance(1000);
    equal(state(), "settled");
    equal(informer.store.list().length, 1);

    await clock.advance(60_000);
    change([], 9);
    for (let count = 0; count < 2; count += 1) expectations.contradicted(pods);
    await clock.advance(1000);
    equal(informer.store.list().length, 1);
    expectations.contradicted(pods);
    await clock.advance(1000);
    equal(informer.store.list().length, 0);
    await end();
  });

  test("a pass that is aborted does not wait on", async () => {
    const { expectations, end } = await setUp();
    expectations.written(pods, pod("p", 7));
    const stop = new AbortController();
    const wait = expectations.settled(stop.signal);
    stop.abort(new Error("lease lost"));
    await rejects(wait ?? Promise.resolve(), /lease lost/);
    await end();
  });

  test("before the first list, only the newest write of an object is remembered", async () => {
    const clock = new FakeClock();
    const list = { metadata: { resourceVersion: "5" }, items: [] };
    const stream = new ScriptedStream();
    const transport = new ScriptedTransport(({ path }) => (path.includes("watch=true") ? { stream } : { body: list }));
    const informer = informerOn(transport, clock);
    const expectations = new Expectations(clock, 10_000);
    expectations.follow(informer as never);
    const refs = Array.from({ length: 50 }, (_, index) => {
      const written = pod("p", 10 + index);
      expectations.written(pods, written);
      return new WeakRef(written);
    });
    await clock.settle();
    collect();
    const kept = refs.filter((written) => written.deref() !== undefined);
    ok(kept.length <= 1, `${kept.length} are kept`);

    const stop = new AbortController();
    const running = informer.run(stop.signal);
    await clock.settle();
    const wait = expectations.settled(stop.signal);
    stream.event("ADDED", pod("p", 59));
    await wait;
    ok(wait !== undefined && expectations.settled(never) === undefined);
    stop.abort(new Error("stop"));
    await running;
  });
});
