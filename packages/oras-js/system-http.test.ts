import { equal, match, rejects } from "node:assert/strict";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, describe, test } from "@jest/globals";
import { makeKeyPair } from "../../testing/key-pair.ts";
import { createRegistryClient } from "./client.ts";
import { digestOf } from "./digest.ts";
import { parseRepository } from "./reference.ts";
import { createTransport, systemClock } from "./system-http.ts";
import type { HttpRequest, Transport } from "./transport.ts";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener));

function transport(options: Parameters<typeof createTransport>[0] = {}): Transport {
  const created = createTransport(options);
  closers.push(() => created.close());
  return created;
}

function get(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: "GET", url: new URL(url), headers: {}, guarded: false, signal: AbortSignal.timeout(5_000), ...more };
}

async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const echo: RequestListener = (request: IncomingMessage, response) => {
  void text(request).then((body) =>
    response.end(`${request.method} ${request.url} ${request.headers["content-length"]} ${body}`),
  );
};

describe("the transport", () => {
  test("sends bytes and streams with the length that they announce", async () => {
    const url = `http://127.0.0.1:${await serve(echo)}/x`;
    const sender = transport();
    const headers = { "content-length": "3" };
    const stream = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from("a");
      yield Buffer.from("bc");
    };
    for (const body of [Buffer.from("abc"), stream()]) {
      const response = await sender.send(get(url, { method: "PUT", headers, body }));
      equal(await text(response.body), "PUT /x 3 abc");
    }
  });

  test("does not connect to this machine when a remote server chose a name that leads there", async () => {
    let requests = 0;
    const port = await serve((_, response) => {
      requests += 1;
      response.end();
    });
    await rejects(
      transport().send(get(`http://localhost:${port}/`, { guarded: true })),
      /remote registry may not name/,
    );
    equal(requests, 0);
  });

  test("gives up a server that stays silent", async () => {
    const port = await serve(() => undefined);
    await rejects(transport({ idleTimeoutMs: 300 }).send(get(`http://127.0.0.1:${port}/`)), /Headers Timeout/);
  });

  test("gives up when the caller does", async () => {
    const port = await serve(() => undefined);
    await rejects(transport().send(get(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(100) })), /timeout/);
  });

  test("asks the proxy of the environment, but not about this machine", async () => {
    const seen: string[] = [];
    const proxy = await serve((request, response) => {
      seen.push(request.url ?? "");
      response.end("proxied");
    });
    const origin = await serve(echo);
    const before = process.env["http_proxy"];
    process.env["http_proxy"] = `http://127.0.0.1:${proxy}`;
    try {
      const sender = transport();
      equal(
        await text((await sender.send(get("http://registry.example/v2/"))).body).catch(() => "tunnelled"),
        "proxied",
      );
      match(await text((await sender.send(get(`http://127.0.0.1:${origin}/direct`))).body), /GET \/direct/);
    } finally {
      if (before === undefined) delete process.env["http_proxy"];
      else process.env["http_proxy"] = before;
    }
    equal(seen.length, 1);
    match(seen[0] ?? "", /registry\.example/);
  });
});

describe("TLS", () => {
  const body = "content";
  const target = { digest: digestOf(body) };

  async function tlsRegistry(): Promise<{ host: string; certificate: string }> {
    const { certificate, key } = await makeKeyPair({ name: "registry.test" });
    const port = await listen(createTlsServer({ cert: certificate, key }, (_, response) => response.end(body)));
    return { host: `127.0.0.1:${port}`, certificate };
  }

  test("trusts the given certificates beside the usual ones", async () => {
    const { host, certificate } = await tlsRegistry();
    const client = createRegistryClient({ ca: [certificate] });
    closers.push(() => client.close());
    equal(Buffer.from(await client.pullBlob(parseRepository(`${host}/a`), target)).toString(), body);
  });

  test("refuses an unknown certificate and says what to add", async () => {
    const { host } = await tlsRegistry();
    const client = createRegistryClient({ attempts: 1 });
    closers.push(() => client.close());
    await rejects(
      client.pullBlob(parseRepository(`${host}/a`), target),
      /cannot be reached: .*SELF_SIGNED_CERT.*; add the registry's CA certificate/,
    );
  });

  test("says when the registry speaks plain HTTP", async () => {
    const client = createRegistryClient({ attempts: 1 });
    closers.push(() => client.close());
    const host = `127.0.0.1:${await serve(echo)}`;
    await rejects(client.pullBlob(parseRepository(`${host}/a`), target), /speak plain HTTP, write http:\/\//);
  });
});

test("the system clock sleeps, and wakes when told to", async () => {
  const started = systemClock.now();
  await systemClock.sleep(30);
  equal(systemClock.now() - started >= 25, true);
  await rejects(systemClock.sleep(10_000, AbortSignal.timeout(20)), /timeout/);
  await rejects(systemClock.sleep(10_000, AbortSignal.abort(new Error("before"))), /before/);
  let fired = false;
  const cancel = systemClock.after(5, () => {
    fired = true;
  });
  cancel();
  await systemClock.sleep(20);
  equal(fired, false);
});
