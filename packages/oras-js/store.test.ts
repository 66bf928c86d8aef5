import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { digestOf } from "./digest.ts";
import { type ContentOrigin, ContentStore, type ContentStoreOptions } from "./store.ts";
import { createDirectory } from "./store-files.ts";
import { ImpatientClock } from "./testing.ts";

let root = "";
const clock = new ImpatientClock();
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "oras-store-"));
});
afterEach(() => rm(root, { recursive: true }));

function store(options: Partial<ContentStoreOptions> = {}): ContentStore {
  return new ContentStore({ directory: createDirectory(root), clock, ...options });
}

function origin(text: string): ContentOrigin & { readonly count: () => number } {
  let count = 0;
  const open: ContentOrigin = async function* () {
    count += 1;
    for (let at = 0; at < text.length; at += 3) yield Buffer.from(text.slice(at, at + 3));
  };
  return Object.assign(open, { count: () => count });
}

const never: ContentOrigin = async function* () {
  yield* [];
  throw new Error("must not be fetched");
};

const target = (text: string): { digest: string; size: number } => ({ digest: digestOf(text), size: text.length });
const fileOf = (text: string): string => join(root, digestOf(text).replace(":", "/"));
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe("the content store", () => {
  test("fetches a digest once, however many ask at the same time", async () => {
    const from = origin("hello world");
    const shared = store();
    const all = await Promise.all(Array.from({ length: 100 }, () => shared.get(target("hello world"), from)));
    equal(from.count(), 1);
    ok(all.every((bytes) => textOf(bytes) === "hello world"));
  });

  test("keeps contents over a restart, and in memory until then", async () => {
    const first = store();
    await first.get(target("a"), origin("a"));
    await first.get(target("a"), never);
    equal(first.stats.memoryHits, 1);
    equal(textOf(await store().get(target("a"), never)), "a");
  });

  test("stores nothing that is not what the digest says", async () => {
    await rejects(store().get(target("right"), origin("wrong")), /expected sha256/);
    equal((await readdir(join(root, "sha256"))).length, 0);
  });

  test("leaves nothing behind when a transfer breaks", async () => {
    const broken: ContentOrigin = async function* () {
      yield Buffer.from("he");
      throw new Error("connection reset");
    };
    await rejects(store().get(target("hello"), broken), /connection reset/);
    equal((await readdir(join(root, "sha256"))).length, 0);
    equal(textOf(await store().get(target("hello"), origin("hello"))), "hello");
  });

  for (const [name, damage] of [
    ["other bytes of the same length", "jello"],
    ["fewer bytes", "he"],
    ["nothing", ""],
  ] as const) {
    test(`fetches again what was changed on disk to ${name}`, async () => {
      await store().get(target("hello"), origin("hello"));
      await writeFile(fileOf("hello"), damage);
      const again = store();
      const from = origin("hello");
      equal(textOf(await again.get({ digest: digestOf("hello") }, from)), "hello");
      equal(from.count(), 1);
      equal(await readFile(fileOf("hello"), "utf8"), "hello");
    });
  }

  test("reads a stream again from the start when the file was damaged", async () => {
    await store().get(target("hello"), origin("hello"));
    await writeFile(fileOf("hello"), "jello");
    const reads: string[] = [];
    const damaged = store();
    await damaged.read(target("hello"), origin("hello"), async (content) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      reads.push(Buffer.concat(chunks).toString());
    });
    deepEqual(reads, ["hello"]); // the first read ended with the error of the digest
    equal(damaged.stats.corrupt, 1);
  });

  test("passes an error of the reader on, and keeps the content", async () => {
    const failing = store().read(target("hello"), origin("hello"), async () => {
      throw new Error("reader failed");
    });
    await rejects(failing, /reader failed/);
    equal(textOf(await store().get(target("hello"), never)), "hello");
  });

  test("removes the least recently used above the limit, but nothing that is held", async () => {
    const small = store({ limitBytes: 25, memoryBytes: 0 });
    const texts = ["aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc", "dddddddddd"];
    const release = small.hold(digestOf("aaaaaaaaaa"));
    for (const [i, text] of texts.entries()) {
      await small.get(target(text), origin(text));
      await utimes(fileOf(text), i + 1, i + 1);
    }
    const left = (await readdir(join(root, "sha256"))).length;
    ok(left <= 2, `${left} files are left`);
    equal(textOf(await small.get(target("aaaaaaaaaa"), never)), "aaaaaaaaaa");
    release();
    release(); // once is enough
    await small.get(target("eeeeeeeeee"), origin("eeeeeeeeee"));
    ok(small.stats.evictions >= 2);
  });

  test("keeps a large content out of memory", async () => {
    const text = "x".repeat(1_000);
    const tight = store({ memoryBytes: 2_000 });
    await tight.get(target(text), origin(text));
    await tight.get(target(text), never);
    deepEqual([tight.stats.memoryHits, tight.stats.diskHits], [0, 1]);
  });

  describe("with a slow registry", () => {
    /** Sends the first half, and the second one when told so; says whether it was given up. */
    function slow(): { origin: ContentOrigin; proceed: () => void; aborted: () => boolean } {
      let aborted = false;
      let proceed = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        proceed = resolve;
      });
      const from: ContentOrigin = async function* (signal) {
        signal.addEventListener("abort", () => {
          aborted = true;
          proceed();
        });
        yield Buffer.from("hel");
        await gate;
        signal.throwIfAborted();
        yield Buffer.from("lo");
      };
      return { origin: from, proceed: () => proceed(), aborted: () => aborted };
    }
    const started = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

    test("goes on with a fetch as long as somebody waits for it", async () => {
      const shared = store();
      const { origin: from, proceed, aborted } = slow();
      const impatient = new AbortController();
      const first = shared.get(target("hello"), from, impatient.signal);
      const second = shared.get(target("hello"), never);
      await started();
      impatient.abort(new Error("left"));
      await rejects(first, /left/);
      equal(aborted(), false);
      proceed();
      equal(textOf(await second), "hello");
    });

    test("gives up a fetch that nobody waits for any more", async () => {
      const { origin: from, aborted } = slow();
      const alone = new AbortController();
      const only = store().get(target("hello"), from, alone.signal);
      await started();
      alone.abort(new Error("left"));
      await rejects(only, /left/);
      equal(aborted(), true);
    });
  });

  test("is shared by processes that write the same content at the same time", async () => {
    const script = `
      import { ContentStore, createDirectory, digestOf } from ${JSON.stringify(join(import.meta.dirname, "index.ts"))};
      const store = new ContentStore({ directory: createDirectory(process.argv[1]), clock: Date });
      const content = Buffer.alloc(3_000_000, "k");
      for (let i = 0; i < 3; i += 1) {
        const bytes = await store.get({ digest: digestOf(content) }, async function* () { yield content; });
        if (bytes.length !== content.length) process.exit(1);
      }`;
    const run = (): Promise<unknown> =>
      promisify(execFile)(process.execPath, ["--conditions=source", "--input-type=module", "-e", script, root]);
    await Promise.all([run(), run()]);
    equal((await readdir(join(root, "sha256"))).length, 1);
  });

  test("sweeps what a crash left half-written, an hour later", async () => {
    const tight = store({ limitBytes: 1 });
    await tight.get(target("a"), origin("a"));
    const old = join(root, "sha256", "x.part");
    const young = join(root, "sha256", "y.part");
    await Promise.all([writeFile(old, "half"), writeFile(young, "half")]);
    await utimes(old, 1, 1);
    await tight.get(target("bb"), origin("bb"));
    const names = await readdir(join(root, "sha256"));
    deepEqual([names.includes("x.part"), names.includes("y.part")], [false, true]);
  });

  test("refuses a digest that would become a path", async () => {
    await rejects(store().get({ digest: "sha256:../../etc/passwd" }, never), /is no digest/);
  });
});
