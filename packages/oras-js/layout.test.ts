import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { filesIn } from "./artifact-files.ts";
import { digestOf } from "./digest.ts";
import { type ArtifactFiles, filesInMemory } from "./file-client.ts";
import { createLayoutClient } from "./layout.ts";
import { mediaTypes } from "./media-types.ts";
import { parseReference } from "./reference.ts";

const reference = parseReference("any.host/any/path:1.0");

async function pushSample(files: ArtifactFiles, tag = "1.0"): Promise<string> {
  const client = createLayoutClient(files);
  const config = await client.pushBlob(reference, Buffer.from("{}"), { mediaType: mediaTypes.emptyConfig });
  const layer = await client.pushBlob(reference, Buffer.from(`layer of ${tag}`));
  const manifest = { schemaVersion: 2, mediaType: mediaTypes.ociManifest, config, layers: [layer] };
  return (await client.pushManifest({ ...reference, tag }, Buffer.from(JSON.stringify(manifest)))).digest;
}

describe("an OCI image layout", () => {
  test("is written to a directory as the specification says, and read back", async () => {
    const root = await mkdtemp(join(tmpdir(), "oras-layout-"));
    try {
      const files = filesIn(root);
      const digest = await pushSample(files);
      deepEqual([...(await readdir(root))].toSorted(), ["blobs", "index.json", "oci-layout"]);
      equal(Buffer.from((await files.read("oci-layout")) ?? "").toString(), '{"imageLayoutVersion":"1.0.0"}');

      const client = createLayoutClient(files);
      equal((await client.resolve(reference)).digest, digest);
      const { manifest } = await client.pullManifest(reference);
      const [layer] = manifest.kind === "manifest" ? manifest.layers : [];
      equal(Buffer.from(await client.pullBlob(reference, layer ?? { digest: "" })).toString(), "layer of 1.0");
    } finally {
      await rm(root, { recursive: true });
    }
  });

  test("holds several tags, and moves one", async () => {
    const files = filesInMemory(new Map());
    await pushSample(files, "1.0");
    await pushSample(files, "2.0");
    await pushSample(files, "1.0");
    deepEqual((await createLayoutClient(files).listTags(reference)).toSorted(), ["1.0", "2.0"]);
  });

  test("verifies what it reads", async () => {
    const files = new Map<string, Uint8Array>();
    const digest = await pushSample(filesInMemory(files));
    files.set(`blobs/${digest.replace(":", "/")}`, Buffer.from("{}"));
    await rejects(createLayoutClient(filesInMemory(files)).pullManifest(reference), /expected sha256/);
  });

  test("never leaves its directory", async () => {
    const client = createLayoutClient(filesInMemory(new Map()));
    await rejects(client.pullBlob(reference, { digest: "sha256:../../../etc/passwd" }), /is no digest/);
    equal(await client.hasBlob(reference, "../x"), false);
  });

  const refused: readonly { name: string; files: Readonly<Record<string, string>>; reason: RegExp }[] = [
    { name: "an empty directory", files: {}, reason: /no file oci-layout/ },
    {
      name: "another version",
      files: { "oci-layout": '{"imageLayoutVersion":"2.0.0"}' },
      reason: /"2\.0\.0", expected 1\.0\.0/,
    },
    { name: "a marker that is no JSON", files: { "oci-layout": "x" }, reason: /expected 1\.0\.0/ },
    { name: "no index", files: { "oci-layout": '{"imageLayoutVersion":"1.0.0"}' }, reason: /no file index\.json/ },
    {
      name: "a broken index",
      files: { "oci-layout": '{"imageLayoutVersion":"1.0.0"}', "index.json": "[]" },
      reason: /must be an object/,
    },
  ];
  for (const { name, files, reason } of refused) {
    test(`is refused for ${name}`, async () => {
      const map = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
      await rejects(createLayoutClient(filesInMemory(map), "./dir").pullManifest(reference), (error: Error) => {
        match(error.message, /^\.\/dir/);
        match(error.message, reason);
        return true;
      });
    });
  }

  test("says what it does not have", async () => {
    const files = filesInMemory(new Map());
    await pushSample(files);
    await rejects(
      createLayoutClient(files).pullManifest({ ...reference, tag: "9" }),
      /any\.host\/any\/path:9 does not exist/,
    );
    await rejects(createLayoutClient(files).pullBlob(reference, { digest: digestOf("x") }), /does not exist/);
  });

  test("stores a stream only when its digest is right", async () => {
    const client = createLayoutClient(filesInMemory(new Map()));
    const open = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from("abc");
    };
    await rejects(client.pushBlob(reference, { digest: digestOf("abd"), size: 3, open }), /expected/);
    equal((await client.pushBlob(reference, { digest: digestOf("abc"), size: 3, open })).size, 3);
  });
});
