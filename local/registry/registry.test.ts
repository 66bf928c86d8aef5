import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, test } from "@jest/globals";
import { Secret } from "@kyma-operators/errors";
import {
  createRegistryClient,
  digestOf,
  mediaTypes,
  parseReference,
  parseRepository,
  type RegistryClient,
} from "oras-js";
import { type Registry, type RegistryOptions, startRegistry } from "./registry.ts";
import { parseRoute } from "./routes.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function started(options: RegistryOptions = {}): Promise<Registry> {
  const registry = await startRegistry(options);
  cleanups.push(() => registry.stop());
  return registry;
}

function client(user?: { username: string; password: Secret }): RegistryClient {
  const made = createRegistryClient({
    plainHttp: "loopback",
    ...(user === undefined ? {} : { credentials: async () => user }),
  });
  cleanups.push(() => made.close());
  return made;
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "local-registry-"));
  cleanups.push(() => rm(made, { recursive: true }));
  return made;
}

async function pushImage(to: RegistryClient, text: string): Promise<string> {
  const reference = parseReference(text);
  const config = await to.pushBlob(reference, Buffer.from("{}"), { mediaType: mediaTypes.emptyConfig });
  const layer = await to.pushBlob(reference, Buffer.from(`layer of ${text}`));
  const image = { schemaVersion: 2, mediaType: mediaTypes.ociManifest, config, layers: [layer] };
  return (await to.pushManifest(reference, Buffer.from(JSON.stringify(image)))).digest;
}

describe("the local registry", () => {
  test("listens on loopback and says where", async () => {
    const { url, host } = await started();
    match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    equal(url, `http://${host}`);
  });

  test("keeps what was pushed to a directory over a restart, without leftovers", async () => {
    const directory = await folder();
    const first = await startRegistry({ storage: { directory } });
    const pusher = client();
    const digest = await pushImage(pusher, `${first.host}/team/app:1`);
    await pusher.pushBlob(parseRepository(`${first.host}/team/app`), Buffer.alloc(100_000, "x"), {
      chunkBytes: 30_000,
    });
    await first.stop();

    const second = await started({ storage: { directory } });
    equal((await client().resolve(parseReference(`${second.host}/team/app:1`))).digest, digest);
    const files = await readdir(directory, { recursive: true, withFileTypes: true });
    deepEqual(files.filter((entry) => entry.isFile() && /_uploads|_parts/.test(entry.parentPath)).length, 0);
  });

  test("shows a blob only in repositories that have it", async () => {
    const { host } = await started();
    const to = client();
    const { digest } = await to.pushBlob(parseRepository(`${host}/a`), Buffer.from("secret of a"));
    equal(await to.hasBlob(parseRepository(`${host}/a`), digest), true);
    equal(await to.hasBlob(parseRepository(`${host}/b`), digest), false);
  });

  test("takes equal pushes at the same time", async () => {
    const { host } = await started({ storage: { directory: await folder() } });
    const to = client();
    const digests = await Promise.all(Array.from({ length: 20 }, () => pushImage(to, `${host}/same:1`)));
    equal(new Set(digests).size, 1);
    equal((await to.resolve(parseReference(`${host}/same:1`))).digest, digests[0]);
  });

  test("lists repositories in pages", async () => {
    const { host, url } = await started();
    const to = client();
    for (const name of ["b", "a/x", "c"]) await pushImage(to, `${host}/${name}:1`);
    const list = async (query: string): Promise<string> => (await fetch(`${url}/v2/_catalog${query}`)).text();
    equal(await list(""), '{"repositories":["a/x","b","c"]}');
    equal(await list("?n=1&last=a/x"), '{"repositories":["b"]}');
  });

  test("holds its limits", async () => {
    const { host } = await started({ limits: { blobBytes: 10, manifestBytes: 50 } });
    const to = client();
    await rejects(
      to.pushBlob(parseRepository(`${host}/a`), Buffer.alloc(11)),
      /SIZE_INVALID blob is larger than 10 bytes/,
    );
    const image = Buffer.from(
      JSON.stringify({ mediaType: mediaTypes.ociIndex, manifests: [], annotations: { long: "x".repeat(50) } }),
    );
    await rejects(
      to.pushManifest(parseReference(`${host}/a:1`), image),
      /SIZE_INVALID manifest is larger than 50 bytes/,
    );
  });

  test("goes on after a request that broke off", async () => {
    const { host } = await started();
    const socket = connect(Number(host.split(":")[1]), "127.0.0.1");
    await new Promise<void>((resolve) => socket.once("connect", resolve));
    socket.write("POST /v2/a/blobs/uploads/ HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf");
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
    await pushImage(client(), `${host}/a:1`);
  });

  const nowhere = [
    "/",
    "/v1/",
    "/v2/a",
    "/v2/A/tags/list",
    "/v2/../tags/list",
    "/v2/a/manifests/..",
    "/v2/_x/tags/list",
    "/v2/%2e%2e/blobs/x",
    "/v2/%zz",
  ];
  for (const path of nowhere) {
    test(`answers 404 for ${path}`, async () => equal((await fetch((await started()).url + path)).status, 404));
  }
});

describe("users", () => {
  test("are the only ones who may do anything", async () => {
    const { host, url } = await started({ users: { robot: "s3cret", other: "" } });
    equal((await fetch(`${url}/v2/`)).status, 401);
    await pushImage(client({ username: "robot", password: new Secret("s3cret") }), `${host}/a:1`);
    for (const [username, password] of [
      ["robot", "wrong"],
      ["nobody", "s3cret"],
      ["robot", ""],
    ] as const) {
      await rejects(client({ username, password: new Secret(password) }).listTags(parseRepository(`${host}/a`)), /401/);
    }
  });

  test("may have a password with colons", async () => {
    const { host } = await started({ users: { robot: "a:b:c" } });
    await pushImage(client({ username: "robot", password: new Secret("a:b:c") }), `${host}/a:1`);
  });

  for (const header of ["Basic", "Basic %%%", "Bearer x", `Basic ${Buffer.from("robot").toString("base64")}`]) {
    test(`are not let in with ${JSON.stringify(header)}`, async () => {
      const { url } = await started({ users: { robot: "s3cret" } });
      equal((await fetch(`${url}/v2/`, { headers: { authorization: header } })).status, 401);
    });
  }
});

describe("parseRoute", () => {
  const digest = digestOf("x");
  const id = "123e4567-e89b-42d3-a456-426614174000";
  const cases = [
    { path: "/v2/", want: { kind: "base" } },
    { path: "/v2/a/b/manifests/1.0", want: { kind: "manifest", repository: "a/b", reference: "1.0" } },
    { path: "/v2/manifests/manifests/x", want: { kind: "manifest", repository: "manifests", reference: "x" } },
    { path: `/v2/a/blobs/${digest}`, want: { kind: "blob", repository: "a", digest } },
    { path: "/v2/a/blobs/uploads/", want: { kind: "uploads", repository: "a" } },
    { path: "/v2/a/blobs/uploads", want: { kind: "uploads", repository: "a" } },
    { path: `/v2/a/blobs/uploads/${id}`, want: { kind: "upload", repository: "a", id } },
    { path: "/v2/a/tags/list", want: { kind: "tags", repository: "a" } },
    { path: `/v2/a/referrers/${digest}`, want: { kind: "referrers", repository: "a", digest } },
    { path: "/v2/a/blobs/uploads/not-an-id", want: undefined },
    { path: `/v2/${"a".repeat(256)}/tags/list`, want: undefined },
  ];
  for (const { path, want } of cases) test(`reads ${path.slice(0, 60)}`, () => deepEqual(parseRoute(path), want));

  test("ends quickly for a long path", () => {
    const started = performance.now();
    equal(parseRoute(`/v2/${"a-".repeat(100_000)}/tags/list`), undefined);
    ok(performance.now() - started < 200);
  });
});
