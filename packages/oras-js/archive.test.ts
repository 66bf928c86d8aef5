import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { describe, test } from "@jest/globals";
import * as fc from "fast-check";
import { Header, Pax } from "tar";
import { type ArchiveOptions, readTarGz } from "./archive.ts";
import { writeTar } from "./tar-writer.ts";

const content = (text: string): Uint8Array => Buffer.from(text);

/** A raw entry, with what `writeTar` would never write. */
function entry(fields: ConstructorParameters<typeof Header>[0], body = ""): Buffer {
  const header = new Header({
    mode: 0o644,
    size: body.length,
    type: "File",
    mtime: new Date(0),
    ...(fields as object),
  });
  header.encode();
  const padding = Buffer.alloc((512 - (body.length % 512)) % 512);
  return Buffer.concat([header.block ?? Buffer.alloc(512), Buffer.from(body), padding]);
}

const end = Buffer.alloc(1_024);
const archive = (...entries: readonly Buffer[]): Buffer => Buffer.concat([...entries, end]);

async function read(source: Uint8Array, options: ArchiveOptions = {}): Promise<Record<string, string>> {
  const files = await readTarGz(source, options);
  return Object.fromEntries([...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
}

describe("readTarGz", () => {
  test("reads plain and gzipped archives in their order", async () => {
    const tar = writeTar([
      { path: "b/x.yaml", content: content("1") },
      { path: "a", content: content("") },
    ]);
    for (const source of [
      tar,
      gzipSync(tar),
      Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))]),
    ]) {
      deepEqual(Object.entries(await read(source)), [
        ["b/x.yaml", "1"],
        ["a", ""],
      ]);
    }
  });

  test("reads a stream, however it is cut", async () => {
    const tar = gzipSync(writeTar([{ path: "a", content: content("hello".repeat(500)) }]));
    const drops = async function* (): AsyncGenerator<Uint8Array> {
      for (const byte of tar) yield Buffer.of(byte);
    };
    equal((await readTarGz(drops())).get("a")?.length, 2_500);
  });

  test("passes an error of the source on as it is", async () => {
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield gzipSync(writeTar([{ path: "a", content: content("x") }])).subarray(0, 30);
      throw new Error("disk on fire");
    };
    await rejects(readTarGz(broken()), /disk on fire/);
  });

  test("keeps regular files only, under plain relative names", async () => {
    const tar = archive(
      entry({ path: "./dir/", type: "Directory" }),
      entry({ path: "./dir//f" }, "x"),
      entry({ path: "dir\\g" }, "y"),
    );
    deepEqual(await read(tar), { "dir/f": "x", "dir/g": "y" });
  });

  test("reads long names of pax headers", async () => {
    const path = `${"d/".repeat(110)}f`;
    const pax = new Pax({ path, size: 1 }).encode();
    deepEqual(await read(archive(pax, entry({ path: "short" }, "x"))), { [path]: "x" });
  });

  const refusedEntries = [
    { name: "a step out", fields: { path: "a/../../etc/passwd" }, reason: /leads out of the archive/ },
    { name: "a step out with backslashes", fields: { path: "a\\..\\..\\b" }, reason: /leads out/ },
    { name: "an absolute name", fields: { path: "/etc/passwd" }, reason: /absolute/ },
    { name: "a drive letter", fields: { path: "C:/x" }, reason: /drive letter/ },
    { name: "a control character", fields: { path: "a\u001b[31m" }, reason: /control characters/ },
    {
      name: "a symbolic link",
      fields: { path: "a", type: "SymbolicLink", linkpath: "/etc/passwd" },
      reason: /SymbolicLink entries/,
    },
    { name: "a hard link", fields: { path: "a", type: "Link", linkpath: "b" }, reason: /Link entries/ },
    { name: "a device", fields: { path: "a", type: "CharacterDevice" }, reason: /CharacterDevice entries/ },
    { name: "a named pipe", fields: { path: "a", type: "FIFO" }, reason: /FIFO entries/ },
    { name: "no name", fields: { path: "." }, reason: /has no name/ },
  ] as const;
  for (const { name, fields, reason } of refusedEntries) {
    test(`refuses ${name}`, async () => {
      await rejects(readTarGz(archive(entry(fields)), { name: "chart.tgz" }), (error: Error) => {
        match(error.message, /^chart\.tgz: /);
        match(error.message, reason);
        return true;
      });
    });
  }

  test("refuses a name that stands there twice", async () => {
    await rejects(read(archive(entry({ path: "a" }, "1"), entry({ path: "./a" }, "2"))), /stands in the archive twice/);
  });

  test("takes a leading slash off when told so", async () => {
    deepEqual(await read(archive(entry({ path: "/component-descriptor.yaml" }, "x")), { stripLeadingSlash: true }), {
      "component-descriptor.yaml": "x",
    });
  });

  const tar = writeTar([
    { path: "a/b", content: content("12345") },
    { path: "c", content: content("67890") },
  ]);
  const limits = [
    { name: "bytes in all", options: { totalBytes: 9 }, reason: /totalBytes of 9/ },
    { name: "bytes of one entry", options: { entryBytes: 4 }, reason: /entryBytes of 4/ },
    { name: "entries", options: { entries: 1 }, reason: /entries of 1/ },
    { name: "the length of a path", options: { pathLength: 2 }, reason: /pathLength of 2/ },
  ];
  for (const { name, options, reason } of limits) {
    test(`holds the limit on ${name}`, async () => rejects(read(tar, options), reason));
  }

  test("holds the limit on the ratio of a bomb before it is unpacked", async () => {
    const bomb = gzipSync(writeTar([{ path: "zeros", content: Buffer.alloc(12_000_000) }]));
    ok(bomb.length < 20_000);
    await rejects(read(bomb), /limit ratio of 200/);
  });

  test("believes a header's size only within the limits", async () => {
    await rejects(read(archive(entry({ path: "a", size: 8_000_000_000 }))), /entryBytes/);
  });

  const damaged = [
    { name: "nothing", source: Buffer.alloc(0) },
    { name: "a text", source: Buffer.from("<html></html>") },
    { name: "a text longer than a block", source: Buffer.from("x".repeat(2_000)) },
    { name: "an archive cut off inside a file", source: tar.subarray(0, 514) },
    { name: "gzip cut off", source: gzipSync(tar).subarray(0, 60) },
    { name: "gzip with a wrong checksum", source: Buffer.concat([gzipSync(tar).subarray(0, -8), Buffer.alloc(8)]) },
    { name: "gzip inside gzip", source: gzipSync(gzipSync(tar)) },
    { name: "zstd", source: Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), Buffer.alloc(600)]) },
  ];
  for (const { name, source } of damaged) {
    test(`refuses ${name}`, async () => {
      await rejects(read(source), (error: { code?: string }) => error.code === "OCI_ARCHIVE_INVALID");
    });
  }

  test("neither hangs nor crashes on any bytes", async () => {
    const mutated = fc.tuple(
      fc.boolean(),
      fc.array(fc.tuple(fc.nat(tar.length - 1), fc.nat(255)), { minLength: 1, maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(mutated, async ([gzip, changes]) => {
        const bytes = Buffer.from(gzip ? gzipSync(tar) : tar);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        await readTarGz(bytes).catch((error: { code?: string }) => match(error.code ?? "", /^OCI_ARCHIVE_/));
      }),
      { numRuns: 300 },
    );
  });
});

describe("writeTar", () => {
  test("what it writes is read back", async () => {
    const name = fc
      .array(fc.stringMatching(/^[a-z]{1,30}$/), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join("/"));
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, fc.uint8Array({ maxLength: 1_500 }), { maxKeys: 6, noNullPrototype: true }),
        async (files) => {
          const entries = Object.entries(files).map(([path, bytes]) => ({ path, content: bytes }));
          if (entries.length === 0) return;
          const back = await readTarGz(writeTar(entries));
          deepEqual(
            [...back].map(([path, bytes]) => [path, [...bytes]]),
            entries.map(({ path, content: bytes }) => [path, [...bytes]]),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  test("refuses a path that does not fit", () => {
    throws(() => writeTar([{ path: "x".repeat(101), content: content("") }]), /path is too long/);
  });
});
