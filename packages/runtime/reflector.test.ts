import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { type AnyObject, builtIn, createClient, kubeErrors } from "@kyma-operators/kube";
import { FakeClock, type ScriptedAnswer, ScriptedStream, ScriptedTransport } from "../../testing/index.ts";
import { SharedInformer } from "./informer.ts";
import { silentLogger } from "./logger.ts";

const { pods } = builtIn;

const pod = (name: string, version: number, uid = `uid-${name}`): AnyObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "a", uid, resourceVersion: String(version), managedFields: [] },
});
const listOf = (version: number, ...items: AnyObject[]): ScriptedAnswer => ({
  body: { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: String(version) }, items },
});
const refusal = (status: number, headers = {}): ScriptedAnswer => ({
  status,
  headers,
  body: { kind: "Status", code: status },
});

/**
 * A server that answers lists and watches from two scripts, one entry per request. What a script does not say goes on
 * as it was: the last list again, a watch that stays open.
 */
class Script {
  readonly clock = new FakeClock();
  readonly changes: string[] = [];
  readonly times: number[] = [];
  readonly transport: ScriptedTransport;
  readonly informer: SharedInformer<AnyObject>;
  readonly lists: ScriptedAnswer[];
  readonly watches: (ScriptedAnswer | ScriptedStream)[];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #last: ScriptedAnswer = {};

  /** What was said aloud. */
  readonly warnings: string[] = [];

  constructor(lists: ScriptedAnswer[], watches: (ScriptedAnswer | ScriptedStream)[] = [], relistMs = 1e9) {
    this.lists = lists;
    this.watches = watches;
    this.transport = new ScriptedTransport(({ path }) => this.#answer(path));
    const client = createClient({ transport: this.transport, clock: this.clock });
    this.informer = new SharedInformer<AnyObject>({
      client,
      resource: pods,
      selection: {},
      clock: this.clock,
      random: () => 0.5,
      log: { ...silentLogger, warn: ({ kind, code }) => void this.warnings.push(`${String(kind)} ${String(code)}`) },
      freeze: true,
      relistMs,
      transform: undefined,
      onFailure: () => undefined,
    });
    this.informer.onChange((change) => {
      const { name, resourceVersion } = change.object.metadata;
      this.changes.push(`${change.type} ${name}@${resourceVersion}`);
    });
    this.#running = this.informer.run(this.#stop.signal);
  }

  /** `list` or `watch <version>` per request, in order. */
  get requests(): string[] {
    return this.transport.requests.map(({ path }) => {
      const version = /watch=true.*resourceVersion=(\d+)/.exec(path);
      return version === null ? "list" : `watch ${version[1]}`;
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("stop"));
    await this.#running;
  }

  #answer(path: string): ScriptedAnswer {
    this.times.push(this.clock.now());
    if (!path.includes("watch=true")) return (this.#last = this.lists.shift() ?? this.#last);
    const next = this.watches.shift() ?? new ScriptedStream();
    return next instanceof ScriptedStream ? { stream: next } : next;
  }
}

const closed = (): ScriptedStream => {
  const stream = new ScriptedStream();
  stream.end();
  return stream;
};

describe("a calm server", () => {
  test("a list, then a watch from its version, events in order, identity by uid", async () => {
    const stream = new ScriptedStream();
    const script = new Script([listOf(5, pod("a", 3), pod("b", 4))], [stream]);
    await script.clock.settle();
    equal(script.informer.synced, true);
    equal(script.informer.store.get({ namespace: "a", name: "a" })?.metadata.managedFields, undefined);
    stream.event("MODIFIED", pod("a", 6));
    stream.event("ADDED", pod("c", 7));
    stream.event("DELETED", pod("b", 8));
    stream.event("ADDED", pod("c", 9, "another-uid"));
    await script.clock.settle();
    await script.stop();
    deepEqual(script.requests, ["list", "watch 5"]);
    deepEqual(script.changes, [
      "added a@3",
      "added b@4",
      "updated a@6",
      "added c@7",
      "deleted b@8",
      "deleted c@7",
      "added c@9",
    ]);
  });

  test("a watch that ends when its time is up goes on from the last bookmark", async () => {
    const first = new ScriptedStream();
    const script = new Script([listOf(5)], [first]);
    await script.clock.settle();
    first.event("BOOKMARK", { metadata: { resourceVersion: "40" } });
    await script.clock.advance(60_000);
    first.end();
    await script.clock.settle();
    await script.stop();
    deepEqual(script.requests, ["list", "watch 5", "watch 40"]);
    equal(script.times.at(-1), script.times[0] === undefined ? 0 : script.times[0] + 60_000);
  });

  test("asks for a random end between five and ten minutes", async () => {
    const script = new Script([listOf(5)]);
    await script.clock.settle();
    await script.stop();
    ok(script.transport.requests[1]?.path.includes("timeoutSeconds=450"));
    ok(script.transport.requests[1]?.path.includes("allowWatchBookmarks=true"));
  });

  test("repeated and late events change nothing and do not move the version back", async () => {
    const stream = new ScriptedStream();
    const script = new Script([listOf(5, pod("a", 5))], [stream]);
    await script.clock.settle();
    stream.event("MODIFIED", pod("a", 7));
    stream.event("MODIFIED", pod("a", 7));
    stream.event("MODIFIED", pod("a", 6));
    stream.event("DELETED", pod("a", 4, "predecessor"));
    await script.clock.settle();
    stream.fail(new Error("reset"));
    await script.clock.advance(1000);
    await script.stop();
    deepEqual(script.changes, ["added a@5", "updated a@7"]);
    equal(script.requests.at(-1), "watch 7");
  });

  test("an event that the server lost is found by the next list", async () => {
    const script = new Script([listOf(5, pod("a", 5), pod("b", 5)), listOf(9, pod("a", 5), pod("c", 9))], [], 400_000);
    await script.clock.settle();
    await script.clock.advance(900_000);
    await script.stop();
    deepEqual(script.changes, ["added a@5", "added b@5", "deleted b@5", "added c@9"]);
  });
});

describe("failures back off and go on", () => {
  const cases: readonly {
    name: string;
    lists?: ScriptedAnswer[];
    watches?: (ScriptedAnswer | ScriptedStream)[];
    requests: string[];
    delayMs: number;
  }[] = [
    { name: "500 on the list", lists: [refusal(500)], requests: ["list", "list", "watch 5"], delayMs: 800 },
    { name: "503 on the list", lists: [refusal(503)], requests: ["list", "list", "watch 5"], delayMs: 800 },
    { name: "403 on the list", lists: [refusal(403)], requests: ["list", "list", "watch 5"], delayMs: 800 },
    {
      name: "a list that is no JSON",
      lists: [{ body: "<html>" }],
      requests: ["list", "list", "watch 5"],
      delayMs: 800,
    },
    {
      name: "429 with Retry-After on the list",
      lists: [refusal(429, { "retry-after": "7" })],
      requests: ["list", "list", "watch 5"],
      delayMs: 7000,
    },
    { name: "429 on the watch", watches: [refusal(429)], requests: ["list", "watch 5", "watch 5"], delayMs: 800 },
    { name: "500 on the watch", watches: [refusal(500)], requests: ["list", "watch 5", "watch 5"], delayMs: 800 },
    {
      name: "503 with Retry-After on the watch",
      watches: [refusal(503, { "retry-after": "3" })],
      requests: ["list", "watch 5", "watch 5"],
      delayMs: 3000,
    },
    { name: "403 on the watch", watches: [refusal(403)], requests: ["list", "watch 5", "watch 5"], delayMs: 800 },
    {
      name: "a reset connection",
      watches: [{ error: kubeErrors.CONNECTION({ host: "h", method: "GET", path: "/" }) }],
      requests: ["list", "watch 5", "watch 5"],
      delayMs: 800,
    },
    {
      name: "410 as the answer to the watch",
      watches: [refusal(410)],
      requests: ["list", "watch 5", "list", "watch 5"],
      delayMs: 800,
    },
    {
      name: "404 on the watch: the kind is gone",
      watches: [refusal(404)],
      requests: ["list", "watch 5", "list", "watch 5"],
      delayMs: 800,
    },
    {
      name: "400 on the watch: the version is nonsense",
      watches: [refusal(400)],
      requests: ["list", "watch 5", "list", "watch 5"],
      delayMs: 800,
    },
  ];
  for (const { name, lists = [], watches = [], requests, delayMs } of cases) {
    test(name, async () => {
      const script = new Script([...lists, listOf(5, pod("a", 5))], watches);
      await script.clock.advance(delayMs - 1);
      const before = script.requests.length;
      await script.clock.advance(1);
      await script.stop();
      deepEqual(script.requests, requests);
      ok(before < requests.length, "came before its time");
      deepEqual(script.changes, ["added a@5"]);
    });
  }

  test("410 as an event lists again", async () => {
    const stream = new ScriptedStream();
    const script = new Script([listOf(5, pod("a", 5)), listOf(90, pod("a", 5), pod("b", 80))], [stream]);
    await script.clock.settle();
    stream.event("ERROR", { kind: "Status", code: 410, reason: "Expired" });
    await script.clock.advance(1000);
    await script.stop();
    deepEqual(script.requests, ["list", "watch 5", "list", "watch 90"]);
    deepEqual(script.changes, ["added a@5", "added b@80"]);
  });

  test("the delay doubles to half a minute and starts anew after a sign of life", async () => {
    const script = new Script(Array.from({ length: 9 }, () => refusal(500)));
    await script.clock.advance(200_000);
    const gaps = script.times.slice(1).map((time, index) => time - (script.times[index] ?? 0));
    deepEqual(gaps.slice(0, 8), [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    script.lists.splice(0, script.lists.length, listOf(5));
    const stream = new ScriptedStream();
    script.watches.push(stream);
    await script.clock.until(() => script.requests.at(-1) === "watch 5");
    stream.event("BOOKMARK", { metadata: { resourceVersion: "6" } });
    await script.clock.settle();
    stream.fail(new Error("reset"));
    await script.clock.advance(800);
    await script.stop();
    equal(script.requests.at(-1), "watch 6");
  });

  test("a refusal is said aloud once, however long it lasts", async () => {
    const script = new Script([refusal(403), refusal(403), refusal(403), listOf(5)]);
    await script.clock.advance(3000);
    deepEqual(script.warnings, ["Pod KUBE_FORBIDDEN"]);
    await script.clock.until(() => script.requests.at(-1) === "watch 5");
    await script.stop();
    deepEqual(script.warnings, ["Pod KUBE_FORBIDDEN"]);
  });

  test("refusals that take turns are said aloud once each, and again after a success", async () => {
    const turns = [refusal(403), refusal(401), refusal(403), refusal(401)];
    const stream = new ScriptedStream();
    const script = new Script([...turns, listOf(5)], [stream, refusal(403)]);
    await script.clock.until(() => script.requests.at(-1) === "watch 5");
    stream.event("BOOKMARK", { metadata: { resourceVersion: "6" } });
    await script.clock.settle();
    stream.fail(new Error("reset"));
    await script.clock.advance(800);
    await script.stop();
    deepEqual(script.warnings, ["Pod KUBE_FORBIDDEN", "Pod KUBE_UNAUTHORIZED", "Pod KUBE_FORBIDDEN"]);
  });

  test("trouble that passes is not said aloud, trouble that lasts is", async () => {
    const passing = new Script([refusal(500), refusal(500), listOf(5)]);
    await passing.clock.until(() => passing.requests.at(-1) === "watch 5");
    await passing.stop();
    deepEqual(passing.warnings, []);
    const lasting = new Script(Array.from({ length: 9 }, () => refusal(500)));
    await lasting.clock.advance(200_000);
    await lasting.stop();
    equal(lasting.warnings.length, 1);
  });

  test("a stream that breaks resumes from the last event", async () => {
    const stream = new ScriptedStream();
    const script = new Script([listOf(5)], [stream]);
    await script.clock.settle();
    stream.event("ADDED", pod("a", 7));
    stream.push('{"type":"ADDED","obj');
    stream.fail(new Error("reset"));
    await script.clock.advance(800);
    await script.stop();
    deepEqual(script.requests, ["list", "watch 5", "watch 7"]);
  });
});

describe("servers that fail without saying so", () => {
  test("three quick, empty closes list again", async () => {
    const script = new Script([listOf(5), listOf(50, pod("a", 44))], [closed(), closed(), closed()]);
    await script.clock.advance(10_000);
    await script.stop();
    deepEqual(script.requests, ["list", "watch 5", "watch 5", "watch 5", "list", "watch 50"]);
    deepEqual(script.changes, ["added a@44"]);
  });

  test("a server that repeats the same event and closes is not asked without a pause", async () => {
    const again = (): ScriptedStream => {
      const stream = new ScriptedStream();
      stream.event("MODIFIED", pod("a", 5));
      stream.end();
      return stream;
    };
    const script = new Script([listOf(5, pod("a", 5))], Array.from({ length: 500 }, again));
    await script.clock.advance(60_000);
    await script.stop();
    ok(script.requests.length < 30, `${script.requests.length} requests in a minute`);
    equal(script.requests.at(4), "list");
  });

  test("three broken streams list again", async () => {
    const broken = (): ScriptedStream => {
      const stream = new ScriptedStream();
      stream.push("nonsense\n");
      return stream;
    };
    const script = new Script([listOf(5), listOf(50)], [broken(), broken(), broken()]);
    await script.clock.advance(10_000);
    await script.stop();
    deepEqual(script.requests, ["list", "watch 5", "watch 5", "watch 5", "list", "watch 50"]);
  });

  test("a silent peer is given up after four minutes", async () => {
    const script = new Script([listOf(5)]);
    await script.clock.advance(239_999);
    equal(script.requests.length, 2);
    await script.clock.advance(801);
    await script.stop();
    deepEqual(script.requests, ["list", "watch 5", "watch 5"]);
  });

  test("a list older than the last one is dropped, until it must be a restored backup", async () => {
    const gone = refusal(410);
    const script = new Script(
      [listOf(50, pod("a", 50)), ...Array.from({ length: 9 }, () => listOf(5, pod("a", 5)))],
      [gone],
    );
    await script.clock.advance(5000);
    deepEqual(script.changes, ["added a@50"]);
    await script.clock.advance(100_000);
    await script.stop();
    deepEqual(script.changes, ["added a@50", "updated a@5"]);
    equal(script.requests.at(-1), "watch 5");
  });
});

describe("after the stop nothing is emitted", () => {
  test("while a list is on its way", async () => {
    const script = new Script([]);
    const { promise, resolve } = Promise.withResolvers<ScriptedAnswer>();
    script.transport.answer(() => promise);
    await script.clock.settle();
    const stopped = script.stop();
    resolve(listOf(5, pod("a", 5)));
    await stopped;
    await script.clock.settle();
    deepEqual(script.changes, []);
    equal(script.clock.pending, 0);
  });

  test("while connecting, in the middle of a stream and during a back-off", async () => {
    for (const begin of ["connecting", "stream", "back-off"]) {
      const stream = new ScriptedStream();
      const watches = begin === "stream" ? [stream] : begin === "back-off" ? [refusal(500)] : [];
      const script = new Script([listOf(5)], watches);
      await script.clock.settle();
      const stopped = script.stop();
      stream.event("ADDED", pod("a", 6));
      await stopped;
      await script.clock.advance(60_000);
      deepEqual(script.changes, []);
      equal(script.clock.pending, 0);
    }
  });
});
