import { deepEqual, equal, match, throws } from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { openJournal } from "./sqlite-files.ts";
import { Store } from "./store.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "store-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const key = (name: string): { collection: string; namespace: string; name: string } => ({
  collection: "/configmaps",
  namespace: "a",
  name,
});
const object = (name: string): AnyObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "a" },
});

/** Writes and says so, until it is killed, or until nobody listens any more: it yields, so that a closed pipe ends it. */
const writer = `
const { writeSync } = await import("node:fs");
const { openJournal } = await import(process.argv[1]);
const { Store } = await import(process.argv[2]);
const store = new Store(openJournal(process.argv[3], { fsync: false }));
for (let index = 0; ; index += 1) {
  const { revision } = store.put({ collection: "/configmaps", namespace: "a", name: "n" + index % 50 }, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "n" + index % 50, namespace: "a" }, index });
  writeSync(1, revision + " " + index + "\\n");
}`;

/** The last write that the process acknowledged before it was killed. */
async function killedWriter(afterBytes: number): Promise<{ revision: number; index: number }> {
  const paths = ["./sqlite-files.ts", "./store.ts"].map((name) => join(import.meta.dirname, name));
  const child = spawn(
    process.execPath,
    ["--conditions=source", "--input-type=module", "-e", writer, ...paths, folder],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let text = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    text += chunk;
    if (text.length > afterBytes) child.kill("SIGKILL");
  });
  await new Promise((resolve) => child.once("close", resolve));
  const [revision = 0, index = 0] = (text.trimEnd().split("\n").at(-2) ?? "").split(" ").map(Number);
  return { revision, index };
}

describe("openJournal", () => {
  test("keeps objects and the revision across restarts", () => {
    const first = new Store(openJournal(folder, { fsync: true }));
    first.put(key("x"), object("x"));
    first.put(key("y"), object("y"));
    first.remove(key("x"));
    first.close();
    const second = new Store(openJournal(folder, { fsync: false }));
    deepEqual(
      second.list("/configmaps").map((stored) => stored.object.metadata.name),
      ["y"],
    );
    equal(second.revision, 4);
    equal(
      second.subscribe("/configmaps", 2, () => undefined),
      undefined,
    );
    second.close();
  });

  test("refuses a folder that another server uses", () => {
    const store = new Store(openJournal(folder, { fsync: false }));
    store.put(key("x"), object("x"));
    throws(
      () => openJournal(folder, { fsync: false }),
      (error: Error) => {
        match(error.message, /locked/);
        return true;
      },
    );
    store.close();
  });

  test("a kill loses no write that was acknowledged", async () => {
    for (const bytes of [200, 3_000, 20_000]) {
      const last = await killedWriter(bytes);
      const store = new Store(openJournal(folder, { fsync: false }));
      const found = store.get(key(`n${last.index % 50}`));
      equal((found?.object.index as number) >= last.index, true, `write ${last.index} is there`);
      equal(store.revision >= last.revision, true);
      store.close();
    }
  });
});
