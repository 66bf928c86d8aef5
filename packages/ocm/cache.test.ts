import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { createLayoutClient, type FileClient, filesInMemory } from "oras-js";
import { DescriptorCache } from "./cache.ts";
import { createTransportClient, listComponents, readTransportArchive, writeTransportArchive } from "./ctf.ts";
import { getComponentVersion } from "./pull.ts";
import { pushComponentVersion } from "./push.ts";
import { example, exampleWith } from "./testing.ts";

const where = { baseUrl: "reg.io" };
const id = { name: example.name, version: example.version };
const blobs = [{ digest: example.digests.rawManifest, content: Buffer.from(example.rawManifest) }];

/** Counts what goes to the registry. */
function counted(client: FileClient): { client: FileClient; calls: () => Readonly<Record<string, number>> } {
  const calls: Record<string, number> = {};
  const count = <K extends keyof FileClient>(name: K): FileClient[K] =>
    ((...args: readonly never[]) => {
      calls[name] = (calls[name] ?? 0) + 1;
      return (client[name] as (...given: readonly never[]) => unknown)(...args);
    }) as FileClient[K];
  return {
    client: { ...client, resolve: count("resolve"), pullManifest: count("pullManifest"), pullBlob: count("pullBlob") },
    calls: () => calls,
  };
}

describe("the descriptor cache", () => {
  async function world(): Promise<{
    layout: FileClient;
    cache: DescriptorCache;
    calls: () => Readonly<Record<string, number>>;
    wait: (ms: number) => void;
  }> {
    const layout = createLayoutClient(filesInMemory(new Map()));
    await pushComponentVersion(layout, where, { descriptor: exampleWith(), blobs });
    const { client, calls } = counted(layout);
    let nowMs = 0;
    const cache = new DescriptorCache({ client, clock: { now: () => nowMs }, recheckMs: 1_000 });
    return { layout, cache, calls, wait: (ms) => void (nowMs += ms) };
  }
  const reads = { resolve: 1, pullManifest: 1, pullBlob: 2 };

  test("reads a version once, however many ask", async () => {
    const { cache, calls } = await world();
    const all = await Promise.all(Array.from({ length: 50 }, () => cache.get(where, id)));
    equal(new Set(all).size, 1);
    await cache.get(where, id);
    deepEqual(calls(), reads);
  });

  test("asks for the tag again after a while, and reads nothing when it has not moved", async () => {
    const { cache, calls, wait } = await world();
    const first = await cache.get(where, id);
    wait(1_000);
    equal(await cache.get(where, id), first);
    deepEqual(calls(), { ...reads, resolve: 2 });
  });

  test("reads a version anew when its tag has moved", async () => {
    const { cache, layout, wait } = await world();
    await cache.get(where, id);
    await pushComponentVersion(layout, where, { descriptor: exampleWith({ labels: [] }), blobs });
    equal((await cache.get(where, id)).descriptor.labels.length, 1);
    wait(1_000);
    equal((await cache.get(where, id)).descriptor.labels.length, 0);
  });

  test("does not remember a failure", async () => {
    const { cache, layout } = await world();
    const next = { ...id, version: "2.0.0" };
    await rejects(cache.get(where, next), /does not exist/);
    await pushComponentVersion(layout, where, {
      descriptor: exampleWith({ version: "2.0.0", resources: [] }),
      blobs: [],
    });
    equal((await cache.get(where, next)).descriptor.version, "2.0.0");
  });

  test("does not mix up registries", async () => {
    const { cache, calls } = await world();
    await cache.get(where, id);
    await cache.get({ baseUrl: "http://reg.io" }, id);
    equal(calls()["resolve"], 2);
  });
});

describe("a transport archive", () => {
  async function archive(): Promise<Map<string, Uint8Array>> {
    const files = new Map<string, Uint8Array>();
    const client = createTransportClient(filesInMemory(files));
    await pushComponentVersion(client, where, { descriptor: exampleWith(), blobs });
    return files;
  }

  test("has the layout of the format", async () => {
    const files = await archive();
    deepEqual(JSON.parse(Buffer.from(files.get("artifact-index.json") ?? "").toString()), {
      schemaVersion: 1,
      artifacts: [
        {
          repository: `component-descriptors/${example.name}`,
          tag: "1.4.2.build-rc.1",
          digest: [...files.keys()].at(-2)?.replace("blobs/sha256.", "sha256:"),
          mediaType: "application/vnd.oci.image.manifest.v1+json",
        },
      ],
    });
    equal([...files.keys()].filter((path) => /^blobs\/sha256\.[0-9a-f]{64}$/.test(path)).length, 4);
  });

  test("is written, read back and listed", async () => {
    const files = await archive();
    const tar = writeTransportArchive(files);
    deepEqual(writeTransportArchive(new Map([...files].toReversed())), tar);
    const back = filesInMemory(await readTransportArchive(tar));
    deepEqual((await getComponentVersion(createTransportClient(back), where, id)).descriptor, exampleWith());
    deepEqual(await listComponents(back), [{ name: example.name, tag: "1.4.2.build-rc.1" }]);
  });

  test("verifies what it holds", async () => {
    const files = await archive();
    const path = `blobs/${example.digests.rawManifest.replace(":", ".")}`;
    files.set(path, Buffer.from("changed"));
    const client = createTransportClient(filesInMemory(files));
    await rejects(
      client.pullBlob({ host: "x", path: "y", plainHttp: false }, { digest: example.digests.rawManifest }),
      /expected/,
    );
  });

  const refused: readonly { name: string; index?: string; reason: RegExp }[] = [
    { name: "without index", reason: /has no artifact-index\.json/ },
    { name: "of another version", index: '{"schemaVersion":2}', reason: /schemaVersion is 2, expected 1/ },
    { name: "with an index that is no JSON", index: "x", reason: /no JSON/ },
    {
      name: "with artifacts that are no list",
      index: '{"schemaVersion":1,"artifacts":{}}',
      reason: /artifacts must be a list/,
    },
    {
      name: "with a digest that is a path",
      index: '{"schemaVersion":1,"artifacts":[{"repository":"a","digest":"../x"}]}',
      reason: /artifacts\[0\]\.digest must be a digest/,
    },
  ];
  for (const { name, index, reason } of refused) {
    test(`${name} is refused`, async () => {
      const files = new Map(
        index === undefined ? [["x", Buffer.from("y")]] : [["artifact-index.json", Buffer.from(index)]],
      );
      await rejects(readTransportArchive(writeTransportArchive(files)), reason);
    });
  }
});
