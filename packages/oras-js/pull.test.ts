import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { createRegistryClient, type RegistryClient } from "./client.ts";
import { digestOf } from "./digest.ts";
import { mediaTypes } from "./media-types.ts";
import { parseReference, parseRepository } from "./reference.ts";
import { ImpatientClock, type Reply, ScriptedRegistry, type Seen } from "./testing.ts";

const repository = parseRepository("reg.io/a");
const content = "0123456789abcdefghijklmnopqrstuvwxyz";
const digest = digestOf(content);
const descriptor = { mediaType: "x/y", digest, size: content.length };
const image = JSON.stringify({
  schemaVersion: 2,
  mediaType: mediaTypes.ociManifest,
  config: descriptor,
  layers: [descriptor],
});

function world(script: (request: Seen) => Reply | Error): { client: RegistryClient; registry: ScriptedRegistry } {
  const registry = new ScriptedRegistry(script);
  return {
    registry,
    client: createRegistryClient({ transport: registry, clock: new ImpatientClock(), random: () => 0 }),
  };
}

function manifestReply(
  body: string,
  mediaType: string = mediaTypes.ociManifest,
  headers: Record<string, string> = {},
): Reply {
  return { status: 200, body, headers: { "content-type": mediaType, ...headers } };
}

async function messageOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "no error",
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );
}

describe("a blob", () => {
  const pull = (
    script: (request: Seen) => Reply | Error,
    target: { size?: number; limitBytes?: number } = {},
  ): Promise<string> => messageOf(world(script).client.pullBlob(repository, { digest, ...target }));

  test("is handed out when digest and size are right", async () => {
    const { client } = world(() => ({ status: 200, body: content }));
    equal(Buffer.from(await client.pullBlob(repository, { digest, size: content.length })).toString(), content);
  });

  const refused = [
    {
      name: "other bytes",
      body: content.replace("0", "1"),
      target: {},
      want: /^OCI_DIGEST_MISMATCH: reg\.io\/a@sha256:\w+: expected sha256:\w+, the registry sent sha256:\w+/,
    },
    {
      name: "too many bytes",
      body: `${content}!`,
      target: { size: content.length },
      want: /^OCI_SIZE_MISMATCH: .*expected 36 bytes, the registry sent 37/,
    },
    {
      name: "more than the limit",
      body: content,
      target: { limitBytes: 10 },
      want: /^OCI_TOO_LARGE: .*limit of 10 bytes/,
    },
    {
      name: "a size beyond the limit before a byte is read",
      body: content,
      target: { size: 36, limitBytes: 10 },
      want: /^OCI_TOO_LARGE/,
    },
    {
      name: "too few bytes, after asking for the rest",
      body: content.slice(0, 9),
      target: { size: 36 },
      want: /^OCI_TRUNCATED: .*broke off after 9 bytes/,
    },
    { name: "an HTML page instead", body: "<html>login</html>", target: {}, want: /^OCI_DIGEST_MISMATCH/ },
  ];
  for (const { name, body, target, want } of refused) {
    test(`is refused for ${name}`, async () => match(await pull(() => ({ status: 200, body }), target), want));
  }

  for (const honoursRange of [true, false]) {
    test(`is resumed where the connection broke, by a server that ${honoursRange ? "honours" : "ignores"} ranges`, async () => {
      const { client, registry } = world(({ headers }) => {
        const from = Number(/bytes=(\d+)-/.exec(headers["range"] ?? "bytes=0-")?.[1]);
        if (!honoursRange) return { status: 200, body: content, breakAfterBytes: from === 0 ? 14 : 100 };
        const reply = {
          status: from === 0 ? 200 : 206,
          body: content.slice(from),
          headers: { "content-range": `bytes ${from}-35/36` },
        };
        return from < 28 ? { ...reply, breakAfterBytes: 14 } : reply;
      });
      const pulled = client.pullBlob(repository, descriptor);
      if (honoursRange) {
        equal(Buffer.from(await pulled).toString(), content);
        deepEqual(
          registry.seen.map(({ headers }) => headers["range"]),
          [undefined, "bytes=14-", "bytes=28-"],
        );
      } else {
        await rejects(pulled, /broke off after 36 bytes/); // every transfer breaks, the last one after the end
      }
    });
  }

  test("is not resumed for ever", async () => {
    const { client, registry } = world(() => ({ status: 200, body: content, breakAfterBytes: 0 }));
    await rejects(client.pullBlob(repository, { digest }), /broke off after 0 bytes/);
    equal(registry.seen.length, 6);
  });

  test("is not read further when the reader stops", async () => {
    const { client, registry } = world(() => ({ status: 200, body: content }));
    for await (const chunk of client.openBlob(repository, { digest })) {
      equal(chunk.length, 7);
      break;
    }
    equal(registry.seen.length, 1);
  });
});

describe("a manifest", () => {
  const pull = (reply: Reply, reference = "reg.io/a:1"): Promise<string> =>
    messageOf(world(() => reply).client.pullManifest(parseReference(reference)));

  test("comes with its digest, parsed", async () => {
    const { client } = world(() => manifestReply(image));
    const pulled = await client.pullManifest(parseReference("reg.io/a:1"));
    equal(pulled.descriptor.digest, digestOf(image));
    deepEqual(pulled.manifest, {
      kind: "manifest",
      mediaType: mediaTypes.ociManifest,
      config: descriptor,
      layers: [descriptor],
      annotations: {},
    });
  });

  test("of an unhelpful server speaks for itself", async () => {
    const { client } = world(() => ({ status: 200, body: image }));
    equal((await client.pullManifest(parseReference("reg.io/a:1"))).descriptor.mediaType, mediaTypes.ociManifest);
  });

  test("may be an artifact or a Docker manifest list", async () => {
    const artifact = JSON.stringify({ mediaType: mediaTypes.ociArtifact, artifactType: "a/b", blobs: [descriptor] });
    const { client } = world(({ url }) =>
      url.endsWith("/1")
        ? manifestReply(artifact, mediaTypes.ociArtifact)
        : manifestReply('{"manifests":null}', mediaTypes.dockerList),
    );
    const { manifest } = await client.pullManifest(parseReference("reg.io/a:1"));
    deepEqual([manifest.kind, manifest.artifactType], ["manifest", "a/b"]);
    deepEqual((await client.pullManifest(parseReference("reg.io/a:2"))).manifest, {
      kind: "index",
      mediaType: mediaTypes.dockerList,
      manifests: [],
      annotations: {},
    });
  });

  const other = digestOf("other");
  const refused = [
    {
      name: "other content than the digest asked for",
      reply: manifestReply(image),
      reference: `reg.io/a@${other}`,
      want: /^OCI_DIGEST_MISMATCH/,
    },
    {
      name: "other content than the registry claims",
      reply: manifestReply(image, mediaTypes.ociManifest, { "docker-content-digest": other }),
      want: /^OCI_DIGEST_MISMATCH/,
    },
    {
      name: "HTML",
      reply: manifestReply("<!doctype html>", "text/html"),
      want: /^OCI_NOT_A_REGISTRY: .*expected JSON, found an HTML page/,
    },
    {
      name: "HTML under another name",
      reply: manifestReply("\n <html>", "application/json"),
      want: /^OCI_NOT_A_REGISTRY/,
    },
    { name: "4 MiB and more", reply: manifestReply(" ".repeat(4_194_305)), want: /^OCI_TOO_LARGE/ },
    {
      name: "an unknown media type",
      reply: manifestReply("{}", "application/vnd.docker.distribution.manifest.v1+json"),
      want: /^OCI_MEDIA_TYPE_UNKNOWN: .*manifest\.v1\+json/,
    },
    {
      name: "a media type that contradicts itself",
      reply: manifestReply(image, mediaTypes.ociIndex),
      want: /^OCI_MANIFEST_INVALID: .*contradicts/,
    },
    { name: "no JSON", reply: manifestReply("{"), want: /^OCI_MANIFEST_INVALID: .*no JSON/ },
    { name: "a list", reply: manifestReply("[]"), want: /must be an object/ },
    { name: "no config", reply: manifestReply("{}"), want: /config must be an object/ },
    {
      name: "a layer without digest",
      reply: manifestReply(JSON.stringify({ config: descriptor, layers: [{ ...descriptor, digest: "sha256:1" }] })),
      want: /layers\[0\]\.digest/,
    },
    {
      name: "a negative size",
      reply: manifestReply(JSON.stringify({ config: { ...descriptor, size: -1 } })),
      want: /config\.size/,
    },
    {
      name: "an annotation that is a number",
      reply: manifestReply(JSON.stringify({ config: descriptor, annotations: { a: 1 } })),
      want: /annotations\[a\]/,
    },
  ];
  for (const { name, reply, reference, want } of refused) {
    test(`is refused for ${name}`, async () => match(await pull(reply, reference), want));
  }
});

describe("resolve", () => {
  test("asks with HEAD alone when the registry says enough", async () => {
    const headers = { "docker-content-digest": digest, "content-length": "36", "content-type": mediaTypes.ociManifest };
    const { client, registry } = world(() => ({ status: 200, headers }));
    deepEqual(await client.resolve(parseReference("reg.io/a:1")), {
      mediaType: mediaTypes.ociManifest,
      digest,
      size: 36,
    });
    deepEqual(
      registry.seen.map(({ method }) => method),
      ["HEAD"],
    );
  });

  test("reads the manifest when the registry gives no digest", async () => {
    const { client } = world(() => manifestReply(image));
    equal((await client.resolve(parseReference("reg.io/a:1"))).digest, digestOf(image));
  });

  test("refuses a registry that answers with another digest", async () => {
    const headers = {
      "docker-content-digest": digestOf("x"),
      "content-length": "36",
      "content-type": mediaTypes.ociManifest,
    };
    await rejects(
      world(() => ({ status: 200, headers })).client.resolve(parseReference(`reg.io/a@${digest}`)),
      /expected/,
    );
  });

  test("says what does not exist", async () => {
    await rejects(
      world(() => ({ status: 404 })).client.resolve(parseReference("reg.io/a:1")),
      /reg\.io\/a:1 does not exist/,
    );
  });
});

describe("lists", () => {
  test("are read to their last page", async () => {
    const { client, registry } = world(({ url }) =>
      url.includes("last=b")
        ? { status: 200, body: '{"tags":["c"]}' }
        : { status: 200, body: '{"tags":["a","b"]}', headers: { link: '</v2/a/tags/list?last=b>; rel="next"' } },
    );
    deepEqual(await client.listTags(repository), ["a", "b", "c"]);
    equal(registry.seen.length, 2);
  });

  test("do not lead to another host, and end", async () => {
    const foreign = world(() => ({ status: 200, body: "{}", headers: { link: '<https://evil.io/>; rel="next"' } }));
    await rejects(foreign.client.listTags(repository), /next page is on another host/);
    const endless = world(() => ({
      status: 200,
      body: '{"tags":[]}',
      headers: { link: '</v2/a/tags/list>; rel="next"' },
    }));
    equal((await messageOf(endless.client.listTags(repository))).slice(0, 13), "OCI_TOO_LARGE");
  });

  test("that hold something else are refused", async () => {
    await rejects(
      world(() => ({ status: 200, body: '{"tags":[1]}' })).client.listTags(repository),
      /holds something else/,
    );
    await rejects(world(() => ({ status: 200, body: "<html>" })).client.listTags(repository), /HTML page/);
  });

  test("of referrers come from a tag where there is no such API, filtered by type", async () => {
    const index = JSON.stringify({
      manifests: [
        { ...descriptor, artifactType: "a/b" },
        { ...descriptor, artifactType: "c/d" },
      ],
    });
    const { client, registry } = world(({ url }) =>
      url.includes("/referrers/") ? { status: 404 } : manifestReply(index, mediaTypes.ociIndex),
    );
    const found = await client.listReferrers(repository, digest, { artifactType: "a/b" });
    deepEqual(
      found.map(({ artifactType }) => artifactType),
      ["a/b"],
    );
    equal(registry.seen[1]?.url, `https://reg.io/v2/a/manifests/${digest.replace(":", "-")}`);
  });

  test("of referrers are empty where neither exists", async () => {
    deepEqual(await world(() => ({ status: 404 })).client.listReferrers(repository, digest), []);
  });
});
