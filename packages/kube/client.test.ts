import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { hasCode } from "@kyma-operators/errors";
import { FakeClock, ScriptedStream, ScriptedTransport } from "../../testing/index.ts";
import { builtIn } from "./built-in.ts";
import { createClient } from "./client.ts";
import type { Client, WatchEvent } from "./client-types.ts";
import { kubeErrors } from "./errors.ts";
import type { AnyObject } from "./types.ts";

const { pods, nodes, secrets, customResourceDefinitions: crds } = builtIn;
const pod = (name: string): AnyObject => ({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "a" } });
const status = (code: number, reason: string, more = {}): object => ({
  kind: "Status",
  status: "Failure",
  reason,
  code,
  message: `${reason} happened`,
  ...more,
});

function setUp(handler: ConstructorParameters<typeof ScriptedTransport>[0], options = {}) {
  const clock = new FakeClock();
  const transport = new ScriptedTransport(handler);
  return { clock, transport, client: createClient({ transport, clock, ...options }) };
}

describe("verbs", () => {
  test("each verb sends its method, path, content type and body", async () => {
    const { client, transport } = setUp(() => ({ body: pod("b") }));
    const ref = { resource: pods, namespace: "a", name: "b" };

    await client.get(ref);
    await client.create(pods, pod("b"), { fieldManager: "me" });
    await client.update(pods, pod("b"), { subresource: "status" });
    await client.apply(pods, pod("b"), { fieldManager: "me", force: true });
    await client.mergePatch(ref, { metadata: null }, { dryRun: true });
    await client.jsonPatch(ref, [{ op: "remove", path: "/x" }], { fieldValidation: "Strict" });
    await client.delete(ref, { propagationPolicy: "Foreground", preconditions: { uid: "u" } });
    await client.createSubresource(ref, "token", { spec: {} });
    await client.get({ resource: nodes, name: "n" });

    deepEqual(
      transport.requests.map(({ method, path, headers }) => [method, path, headers["content-type"]]),
      [
        ["GET", "/api/v1/namespaces/a/pods/b", undefined],
        ["POST", "/api/v1/namespaces/a/pods?fieldManager=me", "application/json"],
        ["PUT", "/api/v1/namespaces/a/pods/b/status", "application/json"],
        ["PATCH", "/api/v1/namespaces/a/pods/b?fieldManager=me&force=true", "application/apply-patch+yaml"],
        ["PATCH", "/api/v1/namespaces/a/pods/b?dryRun=All", "application/merge-patch+json"],
        ["PATCH", "/api/v1/namespaces/a/pods/b?fieldValidation=Strict", "application/json-patch+json"],
        ["DELETE", "/api/v1/namespaces/a/pods/b", "application/json"],
        ["POST", "/api/v1/namespaces/a/pods/b/token", "application/json"],
        ["GET", "/api/v1/nodes/n", undefined],
      ],
    );
    deepEqual(JSON.parse(String(transport.requests[6]?.body)), {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: "Foreground",
      preconditions: { uid: "u" },
    });
  });

  test("no name leaves its place in the path", async () => {
    const { client, transport } = setUp(() => ({}));
    for (const name of ["", ".", "..", "a/b", "x".repeat(600)]) {
      await rejects(client.get({ resource: pods, namespace: "a", name }), { code: "KUBE_BAD_NAME" });
    }
    await rejects(client.get({ resource: pods, name: "b" }), { code: "KUBE_BAD_NAME" });
    await rejects(client.create(pods, { ...pod("b"), metadata: { name: "b" } }), { code: "KUBE_BAD_NAME" });
    equal(transport.requests.length, 0);
    await client.get({ resource: pods, namespace: "a", name: "x?y#z" });
    equal(transport.requests[0]?.path, "/api/v1/namespaces/a/pods/x%3Fy%23z");
  });

  test("an object with generateName can be created", async () => {
    const { client } = setUp(() => ({ body: pod("b-x") }));
    const object: AnyObject = { ...pod(""), metadata: { generateName: "b-", namespace: "a" } };
    equal((await client.create(pods, object)).metadata.name, "b-x");
  });
});

describe("failures", () => {
  const cases = [
    [400, "BadRequest", "KUBE_BAD_REQUEST"],
    [401, "Unauthorized", "KUBE_UNAUTHORIZED"],
    [403, "Forbidden", "KUBE_FORBIDDEN"],
    [404, "NotFound", "KUBE_NOT_FOUND"],
    [409, "Conflict", "KUBE_CONFLICT"],
    [409, "AlreadyExists", "KUBE_ALREADY_EXISTS"],
    [410, "Expired", "KUBE_GONE"],
    [413, "RequestEntityTooLarge", "KUBE_REQUEST_TOO_LARGE"],
    [422, "Invalid", "KUBE_INVALID"],
    [429, "TooManyRequests", "KUBE_TOO_MANY_REQUESTS"],
    [500, "InternalError", "KUBE_SERVER"],
    [503, "ServiceUnavailable", "KUBE_SERVER"],
    [302, "Found", "KUBE_SERVER"],
  ] as const;
  for (const [code, reason, expected] of cases) {
    test(`${code} ${reason} is ${expected}`, async () => {
      const { client } = setUp(() => ({ status: code, body: status(code, reason) }));
      await rejects(client.get({ resource: pods, namespace: "a", name: "b" }), {
        code: expected,
        message: `GET /api/v1/namespaces/a/pods/b: ${code} ${reason}: ${reason} happened`,
      });
    });
  }

  test("a conflict of field managers lists the fields", async () => {
    const causes = [{ reason: "FieldManagerConflict", message: 'conflict with "kubectl"', field: ".spec.replicas" }];
    const { client } = setUp(() => ({ status: 409, body: status(409, "Conflict", { details: { causes } }) }));
    const failure = await client.apply(pods, pod("b"), { fieldManager: "me" }).catch((error: unknown) => error);
    ok(hasCode(failure, "KUBE_APPLY_CONFLICT"));
    deepEqual((failure as { detail: { causes: unknown } }).detail.causes, causes);
  });

  test("Retry-After is in the detail", async () => {
    const { client } = setUp(() => ({ status: 429, headers: { "retry-after": "7" }, body: "slow down" }));
    await rejects(client.get({ resource: nodes, name: "n" }), (error: { detail?: unknown }) => {
      deepEqual(error.detail, {
        method: "GET",
        path: "/api/v1/nodes/n",
        status: 429,
        reason: "Unknown",
        message: "slow down",
        retryAfterMs: 7000,
      });
      return true;
    });
  });

  test("a message from outside is redacted and shortened", async () => {
    const body = status(400, "BadRequest", { message: `Bearer abcdefgh12345 ${"x".repeat(5000)}` });
    const { client } = setUp(() => ({ status: 400, body }));
    await rejects(client.get({ resource: nodes, name: "n" }), (error: Error) => {
      return !error.message.includes("abcdefgh12345") && error.message.length < 1200;
    });
  });

  const ref = { resource: secrets, namespace: "a", name: "s" };
  const secretWith = (more: object): AnyObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "a", name: "s" },
    ...more,
  });
  const quoted = 'hunter2 says "no"\nand more';
  const writes: readonly [string, (client: Client) => Promise<unknown>][] = [
    ["Value:8675309", (c) => c.apply(secrets, secretWith({ stringData: { pw: 8_675_309 } }), { fieldManager: "me" })],
    ['{"in":"hunter2"}', (c) => c.create(secrets, secretWith({ data: { pw: { in: "hunter2" } } }))],
    [`got ${JSON.stringify(quoted)}`, (c) => c.update(secrets, secretWith({ stringData: { pw: quoted } }))],
    ["hunter2 and more", (c) => c.update(secrets, secretWith({ data: { pw: btoa("hunter2 and more") } }))],
    ["hunter2", (c) => c.mergePatch(ref, { stringData: { pw: "hunter2" } })],
    ["hunter2", (c) => c.jsonPatch(ref, [{ op: "add", path: "/stringData/pw", value: "hunter2" }])],
  ];
  for (const [excerpt, write] of writes) {
    test(`a refused Secret does not show its values: ${excerpt}`, async () => {
      const message = `.stringData.pw: expected string, got &value.valueUnstructured{${excerpt}}`;
      const details = { causes: [{ field: "pw", message: excerpt }] };
      const { client } = setUp(() => ({ status: 500, body: status(500, "Invalid", { message, details }) }));
      await rejects(write(client), (error: { message: string; detail?: unknown }) => {
        equal(/8675309|hunter2|and more/.test(error.message + JSON.stringify(error.detail)), false, error.message);
        ok(error.message.includes(".stringData.pw: expected string, got &value.valueUnstructured{"), error.message);
        return true;
      });
    });
  }

  test("an answer that is no JSON shows no credentials where it is quoted", async () => {
    const { client } = setUp(() => ({ body: "Bearer abcdefgh12345 refused" }));
    await rejects(client.get({ resource: nodes, name: "n" }), (error: Error) => {
      ok(error.message.includes('it begins with "Bearer [redacted] refused"'), error.message);
      return true;
    });
  });

  test("an answer that is no JSON object is malformed", async () => {
    for (const body of ["<html>", "[]", "null", '{"a":']) {
      const { client } = setUp(() => ({ body }));
      await rejects(client.get({ resource: nodes, name: "n" }), { code: "KUBE_MALFORMED" });
    }
  });

  test("an answer above the limit is refused before it is parsed", async () => {
    const { client } = setUp(() => ({ body: "x".repeat(101) }), { responseLimitBytes: 100 });
    await rejects(client.get({ resource: nodes, name: "n" }), { code: "KUBE_TOO_LARGE" });
  });

  test("a silent server ends in a timeout on the clock", async () => {
    const { client, clock } = setUp(() => new Promise(() => undefined), { timeoutMs: 5000 });
    const failed = rejects(client.get({ resource: nodes, name: "n" }), {
      code: "KUBE_TIMEOUT",
      message: "GET /api/v1/nodes/n: no answer from scripted within 5000 ms",
    });
    await clock.advance(5000);
    await failed;
    equal(clock.pending, 0);
  });

  test("an aborted call throws the signal's reason and leaves no timer", async () => {
    const { client, clock } = setUp(() => new Promise(() => undefined));
    const stop = new AbortController();
    const failed = rejects(client.list(pods, { signal: stop.signal }), /enough/);
    await clock.settle();
    stop.abort(new Error("enough"));
    await failed;
    equal(clock.pending, 0);
  });

  test("a closed client sends nothing", async () => {
    const { client, transport } = setUp(() => ({}));
    await client.close();
    ok(transport.closed);
    await rejects(client.get({ resource: nodes, name: "n" }), { code: "KUBE_CLOSED" });
    equal(transport.requests.length, 0);
  });

  test("a throttled request is sent again after Retry-After when asked to", async () => {
    const { client, clock, transport } = setUp(
      () => (transport.requests.length < 3 ? { status: 429, headers: { "retry-after": "2" } } : { body: pod("b") }),
      { throttleRetries: 2 },
    );
    const start = clock.now();
    const reading = client.get({ resource: nodes, name: "n" });
    await clock.until(() => transport.requests.length === 3);
    equal((await reading).metadata.name, "b");
    equal(clock.now() - start, 4000);
  });

  test("a server that asks for more time than the call has is not waited for", async () => {
    const answer = { status: 429, headers: { "retry-after": "60" }, body: {} };
    const { client, transport } = setUp(() => answer, { throttleRetries: 5 });
    await rejects(client.get({ resource: nodes, name: "n" }), { code: "KUBE_TOO_MANY_REQUESTS" });
    equal(transport.requests.length, 1);
  });
});

describe("list", () => {
  const page = (names: string[], token = "") => ({
    body: { metadata: { resourceVersion: "7", continue: token }, items: names.map((name) => ({ metadata: { name } })) },
  });

  test("follows pages to the end and gives every item its kind", async () => {
    const { client, transport } = setUp(({ path }) =>
      path.includes("continue") ? page(["c"]) : page(["a", "b"], "t&1"),
    );
    const list = await client.list(pods, { labelSelector: "x in (1,2)", limit: 2 });
    equal(list.resourceVersion, "7");
    deepEqual(
      list.items.map((item) => [item.apiVersion, item.kind, item.metadata.name]),
      [
        ["v1", "Pod", "a"],
        ["v1", "Pod", "b"],
        ["v1", "Pod", "c"],
      ],
    );
    deepEqual(
      transport.requests.map(({ path }) => path),
      [
        "/api/v1/pods?labelSelector=x%20in%20(1%2C2)&limit=2",
        "/api/v1/pods?labelSelector=x%20in%20(1%2C2)&limit=2&continue=t%261",
      ],
    );
  });

  test("starts again without pages when the continue token expires", async () => {
    const { client, transport } = setUp(({ path }) => {
      if (path.includes("continue")) return { status: 410, body: status(410, "Expired") };
      return path.includes("limit") ? page(["a"], "t") : page(["a", "b"]);
    });
    equal((await client.list(pods)).items.length, 2);
    equal(transport.requests.at(-1)?.path, "/api/v1/pods");
  });

  test("metadata only asks for it and keeps the real kind", async () => {
    const { client, transport } = setUp(() => ({
      body: { metadata: {}, items: [{ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: {} }] },
    }));
    equal((await client.list(crds, { metadataOnly: true })).items[0]?.apiVersion, "apiextensions.k8s.io/v1");
    ok(transport.requests[0]?.headers["accept"]?.includes("PartialObjectMetadataList"));
  });

  test("items that are no objects are malformed", async () => {
    for (const items of [{}, [null], ["x"], [{}]]) {
      const { client } = setUp(() => ({ body: { items } }));
      await rejects(client.list(pods), { code: "KUBE_MALFORMED" });
    }
  });
});

describe("watch", () => {
  async function collect(events: AsyncIterable<WatchEvent<AnyObject>>): Promise<string[]> {
    const seen: string[] = [];
    for await (const event of events) {
      seen.push(
        event.type === "BOOKMARK" ? `BOOKMARK ${event.resourceVersion}` : `${event.type} ${event.object.metadata.name}`,
      );
    }
    return seen;
  }

  test("yields events and bookmarks across chunk borders until the server ends it", async () => {
    const stream = new ScriptedStream();
    const { client, transport } = setUp(() => ({ stream }));
    const text = ["ADDED", "MODIFIED", "DELETED"].map((type) => JSON.stringify({ type, object: pod("ä") })).join("\n");
    const bookmark = JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } });
    for (const piece of [text.slice(0, 50), text.slice(50, 51), `${text.slice(51)}\n`, `\n${bookmark}\n{"cut`])
      stream.push(piece);
    stream.end();
    deepEqual(await collect(client.watch(pods, { namespace: "a", resourceVersion: "5", timeoutSeconds: 300 })), [
      "ADDED ä",
      "MODIFIED ä",
      "DELETED ä",
      "BOOKMARK 9",
    ]);
    equal(
      transport.requests[0]?.path,
      "/api/v1/namespaces/a/pods?watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=300",
    );
  });

  test("an error event of 410 is KUBE_GONE, of anything else its own class", async () => {
    for (const [code, expected] of [
      [410, "KUBE_GONE"],
      [500, "KUBE_SERVER"],
      [undefined, "KUBE_SERVER"],
    ] as const) {
      const stream = new ScriptedStream();
      stream.event("ERROR", { kind: "Status", code, message: "too old resource version" });
      const { client } = setUp(() => ({ stream }));
      await rejects(collect(client.watch(pods)), { code: expected });
    }
  });

  test("a line that is no event is malformed", async () => {
    for (const line of [
      "nonsense",
      "null",
      "{}",
      '{"type":"ODD","object":{"metadata":{}}}',
      '{"type":"ADDED","object":{}}',
    ]) {
      const stream = new ScriptedStream();
      stream.push(`${line}\n`);
      const { client } = setUp(() => ({ stream }));
      await rejects(collect(client.watch(pods)), { code: "KUBE_MALFORMED" });
    }
  });

  test("a line that never ends is refused at the limit", async () => {
    async function* endless(): AsyncGenerator<string> {
      for (;;) yield "x".repeat(1024 * 1024);
    }
    const { client } = setUp(() => ({ stream: endless() }));
    await rejects(collect(client.watch(pods)), { code: "KUBE_TOO_LARGE" });
  });

  test("silence ends it, any byte keeps it alive", async () => {
    const stream = new ScriptedStream();
    const { client, clock } = setUp(() => ({ stream }));
    const failed = rejects(collect(client.watch(pods, { idleTimeoutMs: 10_000 })), { code: "KUBE_TIMEOUT" });
    await clock.advance(9000);
    stream.push("\n");
    await clock.advance(9000);
    let over = false;
    void failed.then(() => (over = true));
    await clock.settle();
    equal(over, false);
    await clock.advance(1000);
    await failed;
    equal(clock.pending, 0);
  });

  test("leaving the loop closes the stream", async () => {
    const stream = new ScriptedStream();
    stream.event("ADDED", pod("b"));
    const { client, clock, transport } = setUp(() => ({ stream }));
    for await (const event of client.watch(pods)) {
      equal(event.type, "ADDED");
      break;
    }
    equal(transport.requests[0]?.signal?.aborted, true);
    equal(clock.pending, 0);
  });

  test("a refused watch is its typed error", async () => {
    const { client } = setUp(() => ({ status: 403, body: status(403, "Forbidden") }));
    await rejects(collect(client.watch(pods)), { code: "KUBE_FORBIDDEN" });
  });

  test("a reset connection is passed on", async () => {
    const stream = new ScriptedStream();
    stream.fail(kubeErrors.CONNECTION({ host: "h", method: "GET", path: "/" }));
    const { client } = setUp(() => ({ stream }));
    await rejects(collect(client.watch(pods)), { code: "KUBE_CONNECTION" });
  });
});

describe("requests without an object", () => {
  test("raw gives JSON or text", async () => {
    const { client, transport } = setUp(() => ({ body: { a: 1 } }));
    deepEqual(await client.raw("/version"), { a: 1 });
    transport.answer(() => ({ body: "ok", headers: { "content-type": "text/plain" } }));
    equal(await client.raw("/readyz"), "ok");
  });

  test("every request is reported once with its code", async () => {
    const codes: string[] = [];
    const { client, transport } = setUp(() => ({ status: 201, body: {} }), {
      onRequest: ({ method, path, code }: { method: string; path: string; code: string }) =>
        codes.push(`${method} ${path} ${code}`),
    });
    await client.create(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "n" } }, { fieldManager: "m" });
    transport.answer(() => ({ error: kubeErrors.CLOSED({ host: "h" }) }));
    await rejects(client.get({ resource: nodes, name: "n" }));
    deepEqual(codes, ["POST /api/v1/nodes 201", "GET /api/v1/nodes/n <error>"]);
  });
});
