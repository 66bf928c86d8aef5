import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeAll, describe, test } from "@jest/globals";
import { systemClock } from "@kyma-operators/clock";
import { Secret } from "@kyma-operators/errors";
import { type KeyPair, makeKeyPair } from "../../testing/index.ts";
import type { ClusterAccess } from "./access.ts";
import { builtIn } from "./built-in.ts";
import { createClient } from "./client.ts";
import { createHttpTransport } from "./http-transport.ts";
import type { Transport } from "./transport.ts";

const { pods } = builtIn;
const ref = { resource: pods, namespace: "a", name: "b" };

let pair: KeyPair;
let other: KeyPair;
beforeAll(async () => {
  [pair, other] = await Promise.all([makeKeyPair({ name: "localhost" }), makeKeyPair({ name: "localhost" })]);
});

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(handler: (request: IncomingMessage, response: ServerResponse) => void) {
  const sockets = new Set<Socket>();
  const server: Server = createServer(
    { cert: pair.certificate, key: pair.key, ca: pair.certificate, requestCert: true, rejectUnauthorized: false },
    handler,
  );
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(
    () => new Promise((resolve) => server.close(resolve)),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  return { server: `https://127.0.0.1:${port}`, sockets };
}

function transportTo(access: ClusterAccess, options = {}): Transport {
  const transport = createHttpTransport(access, options);
  closers.unshift(() => transport.close());
  return transport;
}

const connect = (access: ClusterAccess, options = {}) =>
  createClient({ transport: transportTo(access, options), clock: systemClock });
const answer = (response: ServerResponse, object: unknown): void => {
  response.setHeader("content-type", "application/json").end(JSON.stringify(object));
};

describe("connections", () => {
  test("a thousand requests one after another open no more connections than the first ten", async () => {
    const { server, sockets } = await serve((_, response) => answer(response, { metadata: { name: "b" } }));
    const client = connect({ server, ca: pair.certificate });
    for (let index = 0; index < 10; index += 1) await client.get(ref);
    const opened = sockets.size;
    ok(opened <= 2, `${opened} connections`);
    for (let index = 0; index < 1000; index += 1) await client.get(ref);
    equal(sockets.size, opened);
  });

  test("requests at once use no more connections than allowed, and watches none of theirs", async () => {
    const { server, sockets } = await serve((request, response) => {
      if (request.url?.includes("watch=true")) response.writeHead(200).write("\n");
      else answer(response, { metadata: { name: "b" } });
    });
    const client = connect({ server, ca: pair.certificate }, { connections: 2 });
    const stop = new AbortController();
    const watches = Array.from({ length: 5 }, async () => {
      for await (const _ of client.watch(pods, { signal: stop.signal }));
    });
    await Promise.all(Array.from({ length: 50 }, () => client.get(ref)));
    ok(sockets.size <= 7, `${sockets.size} connections`);
    stop.abort(new Error("stop"));
    for (const watch of watches) await rejects(watch, /stop/);
  });

  test("an unused connection is closed, and the next request opens another", async () => {
    const { server, sockets } = await serve((_, response) => answer(response, {}));
    const client = connect({ server, ca: pair.certificate }, { idleMs: 20 });
    for (let round = 1; round <= 3; round += 1) {
      await client.get(ref);
      while ([...sockets].some((socket) => !socket.destroyed)) await systemClock.sleep(10);
      equal(sockets.size, round);
    }
  });

  test("a read over a connection that the server closed is sent again", async () => {
    let requests = 0;
    const { server } = await serve((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else answer(response, { metadata: { name: String(requests) } });
    });
    const client = connect({ server, ca: pair.certificate });
    await client.get(ref);
    equal((await client.get(ref)).metadata.name, "3");
  });

  test("a write over a broken connection is not repeated", async () => {
    let requests = 0;
    const { server } = await serve((request) => {
      requests += 1;
      request.socket.destroy();
    });
    const client = connect({ server, ca: pair.certificate });
    await rejects(client.mergePatch(ref, {}), { code: "KUBE_CONNECTION" });
    equal(requests, 1);
  });
});

describe("identity", () => {
  test("sends the current token and the base path", async () => {
    const seen: unknown[] = [];
    const { server } = await serve((request, response) => {
      seen.push([request.url, request.headers.authorization, request.headers["user-agent"]]);
      answer(response, {});
    });
    let count = 0;
    const client = connect({
      server: `${server}/base/`,
      ca: pair.certificate,
      token: async () => new Secret(`t${++count}`),
    });
    await client.get(ref);
    await client.get(ref);
    deepEqual(seen, [
      ["/base/api/v1/namespaces/a/pods/b", "Bearer t1", "kyma-operators"],
      ["/base/api/v1/namespaces/a/pods/b", "Bearer t2", "kyma-operators"],
    ]);
  });

  test("shows nobody the token that a server or a proxy repeats", async () => {
    let answered: (text: string) => string = (text) => text;
    let code = 502;
    const { server } = await serve((request, response) => {
      const token = request.headers.authorization?.slice("Bearer ".length);
      response.writeHead(code).end(answered(`header=${token}`));
    });
    const client = connect({ server, ca: pair.certificate, token: new Secret("opaque-token") });
    await rejects(client.get(ref), { code: "KUBE_SERVER", message: /: header=\[redacted\]$/ });
    code = 200;
    const message = /no JSON, it begins with "header=\[redacted\]"$/;
    await rejects(client.get(ref), { code: "KUBE_MALFORMED", message });
    await rejects(client.list(pods), { code: "KUBE_MALFORMED", message });
    answered = (text) => `${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 500, message: text } })}\n`;
    const watching = client.watch(pods)[Symbol.asyncIterator]();
    await rejects(watching.next(), { code: "KUBE_SERVER", message: /: header=\[redacted\]$/ });
  });

  test("a token that never comes does not hold a request beyond its deadline", async () => {
    const { server } = await serve((_, response) => answer(response, {}));
    const client = connect({ server, ca: pair.certificate, token: () => new Promise(() => undefined) });
    await rejects(client.get(ref, { timeoutMs: 20 }), { code: "KUBE_TIMEOUT" });
    await rejects(client.get(ref, { signal: AbortSignal.timeout(20), timeoutMs: 0 }), { name: "TimeoutError" });
  });

  test("presents its client certificate", async () => {
    const { server } = await serve((request, response) => {
      const { authorized } = request.socket as Socket & { authorized: boolean };
      answer(response, { authorized });
    });
    const certified = { clientCertificate: pair.certificate, clientKey: new Secret(pair.key) };
    equal((await connect({ server, ca: pair.certificate, ...certified }).get(ref))["authorized"], true);
    equal((await connect({ server, ca: pair.certificate }).get(ref))["authorized"], false);
  });
});

describe("failures before an answer", () => {
  test("a redirect is not followed: the token goes to the server of the kubeconfig alone", async () => {
    const visits: string[] = [];
    const elsewhere = await serve((request, response) => {
      visits.push(request.headers.authorization ?? "");
      answer(response, { metadata: { name: "b" } });
    });
    const { server } = await serve((request, response) => {
      response.writeHead(307, { location: elsewhere.server + (request.url ?? "") }).end();
    });
    const client = connect({ server, ca: pair.certificate, token: new Secret("t0ken-of-mine") });
    await rejects(client.get(ref), (error: { message: string }) => !error.message.includes("t0ken-of-mine"));
    await rejects(client.create(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "b", namespace: "a" } }));
    deepEqual(visits, []);
  });

  test("an authority that did not sign the server is KUBE_TLS", async () => {
    const { server } = await serve((_, response) => answer(response, {}));
    await rejects(connect({ server, ca: other.certificate }).get(ref), { code: "KUBE_TLS" });
    await rejects(connect({ server, ca: pair.certificate, serverName: "elsewhere" }).get(ref), { code: "KUBE_TLS" });
  });

  test("an unknown host is KUBE_DNS, a closed port KUBE_CONNECTION", async () => {
    await rejects(connect({ server: "https://nowhere.invalid" }).get(ref), { code: "KUBE_DNS" });
    const { server } = await serve(() => undefined);
    for (const close of closers.splice(0).toReversed()) await close();
    await rejects(connect({ server }).get(ref), { code: "KUBE_CONNECTION" });
  });

  test("a connection reset in the middle of an answer is KUBE_CONNECTION", async () => {
    const { server } = await serve((request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write('{"a"');
      setTimeout(() => request.socket.destroy(), 20);
    });
    await rejects(connect({ server, ca: pair.certificate }).get(ref), { code: "KUBE_CONNECTION" });
  });

  test("a closed transport refuses", async () => {
    const { server } = await serve((_, response) => answer(response, {}));
    const transport = transportTo({ server, ca: pair.certificate });
    await transport.close();
    await rejects(transport.request({ method: "GET", path: "/", headers: {} }), { code: "KUBE_CLOSED" });
  });
});
