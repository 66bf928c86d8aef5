import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { createRegistryClient, type RegistryClient } from "./client.ts";
import { digestOf } from "./digest.ts";
import { mediaTypes } from "./media-types.ts";
import { parseReference, parseRepository } from "./reference.ts";
import { ImpatientClock, type Reply, ScriptedRegistry, type Seen } from "./testing.ts";

const repository = parseRepository("reg.io/a");
const content = "0123456789abcdefghij";
const digest = digestOf(content);
const descriptor = { mediaType: "x/y", digest, size: content.length };

function world(script: (request: Seen) => Reply | Error): { client: RegistryClient; registry: ScriptedRegistry } {
  const registry = new ScriptedRegistry(script);
  return {
    registry,
    client: createRegistryClient({ transport: registry, clock: new ImpatientClock(), random: () => 0 }),
  };
}

const lines = ({ seen }: ScriptedRegistry): readonly string[] =>
  seen.map(
    ({ method, url }) =>
      `${method} ${url.replace("https://reg.io/v2/", "").replaceAll(encodeURIComponent(digest), "D").replaceAll(digest, "D")}`,
  );

describe("pushing a blob", () => {
  test("sends nothing when the registry has it", async () => {
    const { client, registry } = world(() => ({ status: 200 }));
    deepEqual(await client.pushBlob(repository, Buffer.from(content), { mediaType: "x/y" }), descriptor);
    deepEqual(lines(registry), ["HEAD a/blobs/D"]);
  });

  test("sends it in one piece, and keeps the query of the location", async () => {
    const { client, registry } = world(({ method }) => {
      if (method === "HEAD") return { status: 404 };
      return method === "POST"
        ? { status: 202, headers: { location: "/v2/a/blobs/uploads/1?state=s" } }
        : { status: 201 };
    });
    await client.pushBlob(repository, Buffer.from(content));
    deepEqual(lines(registry), ["HEAD a/blobs/D", "POST a/blobs/uploads/", "PUT a/blobs/uploads/1?state=s&digest=D"]);
    equal(registry.seen[2]?.body, content);
    equal(registry.seen[2]?.headers["content-length"], "20");
  });

  test("begins anew when the connection breaks, but not for ever", async () => {
    for (const [failures, requests] of [
      [1, 5],
      [9, 7],
    ] as const) {
      let left: number = failures;
      const { client, registry } = world(({ method }) => {
        if (method === "HEAD") return { status: 404 };
        if (method === "POST") return { status: 202, headers: { location: "/v2/up" } };
        left -= 1;
        return left >= 0 ? new Error("socket hang up") : { status: 201 };
      });
      const pushed = client.pushBlob(repository, Buffer.from(content));
      if (failures === 1) await pushed;
      else await rejects(pushed, /cannot be reached: socket hang up/);
      equal(registry.seen.length, requests);
    }
  });

  test("does not send smaller chunks than the registry takes", async () => {
    const headers = { location: "/v2/up", "oci-chunk-min-length": "15" };
    const { client, registry } = world(({ method }) => ({ status: { HEAD: 404, PUT: 201 }[method] ?? 202, headers }));
    await client.pushBlob(repository, Buffer.from(content), { chunkBytes: 4 });
    deepEqual(
      registry.seen.filter(({ method }) => method === "PATCH").map(({ body }) => body.length),
      [15, 5],
    );
  });

  test("mounts it from a repository that has it", async () => {
    const { client, registry } = world(({ method }) => ({ status: method === "HEAD" ? 404 : 201 }));
    await client.pushBlob(repository, Buffer.from(content), { mountFrom: "b/c" });
    deepEqual(lines(registry), ["HEAD a/blobs/D", "POST a/blobs/uploads/?mount=D&from=b%2Fc"]);
  });

  /** A registry that takes chunks, and breaks the connection once, at the second one. */
  function chunked(losing: "before" | "after" | "never"): (request: Seen) => Reply | Error {
    let received = "";
    let patches = 0;
    const location = (): { location: string } => ({ location: `/v2/a/blobs/uploads/1?at=${received.length}` });
    const patch = ({ body, headers }: Seen): Reply | Error => {
      patches += 1;
      if (patches === 2 && losing === "before") return new Error("socket hang up");
      if (!headers["content-range"]?.startsWith(`${received.length}-`)) return { status: 416 };
      received += body;
      return patches === 2 && losing === "after" ? new Error("socket hang up") : { status: 202, headers: location() };
    };
    const replies: Readonly<Record<string, (request: Seen) => Reply | Error>> = {
      HEAD: () => ({ status: 404 }),
      POST: () => ({ status: 202, headers: location() }),
      GET: () => ({ status: 204, headers: { ...location(), range: `0-${received.length - 1}` } }),
      PUT: () => ({ status: received === content ? 201 : 400 }),
      PATCH: patch,
    };
    return (request) => replies[request.method]?.(request) ?? { status: 405 };
  }

  for (const losing of ["never", "before", "after"] as const) {
    test(`in chunks works when a connection breaks ${losing === "never" ? "never" : `${losing} the registry has the chunk`}`, async () => {
      const { client, registry } = world(chunked(losing));
      await client.pushBlob(repository, Buffer.from(content), { chunkBytes: 8 });
      equal(registry.seen.at(-1)?.method, "PUT");
      equal(registry.seen.at(-1)?.body, "");
    });
  }

  test("opens a stream again when the first answer to it is a challenge", async () => {
    let opened = 0;
    const source = {
      digest,
      size: content.length,
      open: async function* (offset: number) {
        opened += 1;
        yield Buffer.from(content.slice(offset, 9));
        yield Buffer.from(content.slice(9));
      },
    };
    const script = ({ method, url, headers }: Seen): Reply => {
      if (url.startsWith("https://auth.io")) return { status: 200, body: '{"token":"t"}' };
      if (method === "HEAD") return { status: 404 };
      if (method === "POST") return { status: 202, headers: { location: "https://reg.io/v2/up" } };
      const allowed = headers["authorization"] === "Bearer t";
      return allowed
        ? { status: 201 }
        : { status: 401, headers: { "www-authenticate": 'Bearer realm="https://auth.io/"' } };
    };
    const { client, registry } = world(script);
    await client.pushBlob(repository, source);
    equal(opened, 2);
    equal(registry.seen.at(-1)?.body, content);
  });

  test("does not send credentials or content to a location without TLS", async () => {
    const { client, registry } = world(({ method }) =>
      method === "HEAD" ? { status: 404 } : { status: 202, headers: { location: "http://reg.io/v2/up" } },
    );
    await rejects(client.pushBlob(repository, Buffer.from(content)), /leads to http:/);
    equal(registry.seen.length, 2);
  });

  test("says when the registry breaks the protocol", async () => {
    const { client } = world(({ method }) => ({ status: method === "HEAD" ? 404 : 202 }));
    await rejects(client.pushBlob(repository, Buffer.from(content)), /no usable Location/);
  });
});

describe("pushing a manifest", () => {
  const manifest = (more: object = {}): Buffer =>
    Buffer.from(
      JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.ociManifest, config: descriptor, layers: [], ...more }),
    );

  test("sends its exact bytes under the tag", async () => {
    const { client, registry } = world(() => ({ status: 201 }));
    const bytes = manifest();
    const pushed = await client.pushManifest(parseReference("reg.io/a:1"), bytes);
    equal(pushed.digest, digestOf(bytes));
    deepEqual(lines(registry), ["PUT a/manifests/1"]);
    equal(registry.seen[0]?.headers["content-type"], mediaTypes.ociManifest);
  });

  test("sends nothing that is no manifest, or not the one of the reference", async () => {
    const { client, registry } = world(() => ({ status: 201 }));
    await rejects(client.pushManifest(parseReference("reg.io/a:1"), Buffer.from("{")), /no JSON/);
    await rejects(client.pushManifest(parseReference(`reg.io/a@${digest}`), manifest()), /expected/);
    equal(registry.seen.length, 0);
  });

  test("refuses a registry that stored something else", async () => {
    const { client } = world(() => ({ status: 201, headers: { "docker-content-digest": digest } }));
    await rejects(client.pushManifest(parseReference("reg.io/a:1"), manifest()), /expected/);
  });

  test("keeps the list of referrers where the registry keeps none", async () => {
    const subject = { ...descriptor, mediaType: mediaTypes.ociManifest };
    const { client, registry } = world(({ method }) => ({ status: method === "GET" ? 404 : 201 }));
    const bytes = manifest({ subject, artifactType: "a/b", annotations: { k: "v" } });
    await client.pushManifest({ ...repository, digest: digestOf(bytes) }, bytes);
    const tag = digest.replace(":", "-");
    deepEqual(lines(registry).slice(1), [`GET a/manifests/${tag}`, `PUT a/manifests/${tag}`]);
    const list = JSON.parse(registry.seen[2]?.body ?? "") as { manifests: readonly object[] };
    deepEqual(list.manifests, [
      {
        mediaType: mediaTypes.ociManifest,
        digest: digestOf(bytes),
        size: bytes.length,
        artifactType: "a/b",
        annotations: { k: "v" },
      },
    ]);
  });

  test("leaves that to a registry that keeps it", async () => {
    const { client, registry } = world(() => ({ status: 201, headers: { "oci-subject": digest } }));
    await client.pushManifest(parseReference("reg.io/a:1"), manifest({ subject: descriptor }));
    equal(registry.seen.length, 1);
  });
});

test("deleting names what it deletes", async () => {
  const { client, registry } = world(() => ({ status: 202 }));
  await client.deleteManifest(parseReference("reg.io/a:1"));
  await client.deleteBlob(repository, digest);
  deepEqual(lines(registry), ["DELETE a/manifests/1", "DELETE a/blobs/D"]);
});
