import { equal, match, rejects } from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { type Control, type ControlServer, serveControl } from "../../local/control.ts";
import { WorldFolder } from "../../local/state-files.ts";
import type { Files } from "../io.ts";
import { runCli } from "../run.ts";
import { fakeIo } from "../testing.ts";

let root = "";
let server: ControlServer | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "kyma-down-"));
});
afterEach(async () => {
  server?.close();
  await rm(root, { recursive: true, force: true });
});

const world = (): WorldFolder => new WorldFolder(join(root, "world"));

async function claimed(control: Partial<Control>): Promise<WorldFolder> {
  const folder = world();
  await folder.claim();
  server = await serveControl({ status: async () => ({}), stop: () => undefined, ...control }, "t");
  await folder.writeState({ pid: 4711, startedAt: "", control: server.url, token: "t" });
  return folder;
}

/** `kyma local down`, whose every wait takes no real time. */
async function down(): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => void (now += ms),
    after: () => () => undefined,
  };
  const files = { kind: async (path: string) => (await stat(path)).isDirectory() && "directory" } as unknown as Files;
  const io = { ...fakeIo({ files }), clock };
  const code = await runCli(["local", "down", "--data-dir", world().path], io);
  return { code, out: io.out(), err: io.err() };
}

describe("kyma local down", () => {
  test("waits until a world that can't tell of itself any more has given its folder back", async () => {
    let asked = 0;
    const folder = await claimed({
      status: () => Promise.reject(new Error("the clusters are gone")),
      stop: () => {
        asked += 1;
        if (asked === 3) void folder.forget();
      },
    });
    const { code, out } = await down();
    equal(code, 0);
    match(out, /^stopped, /);
    equal(asked, 3);
    await rejects(stat(folder.path), { code: "ENOENT" });
  });

  test("leaves a process that does not stop and its folder to the user", async () => {
    const folder = await claimed({});
    const { code, err } = await down();
    equal(code, 1);
    match(err, /the process that runs from .*world \(4711\) does not stop: end it by hand, then run "kyma local down/);
    match(await readFile(folder.file("state.json"), "utf8"), /4711/);
    await folder.forget();
  });

  test("does so too for one whose process is not known", async () => {
    const folder = world();
    await folder.claim();
    match((await down()).err, /the process that runs from [^ ]*world does not stop/);
    equal(await folder.isTaken(), true);
    await folder.forget();
  });

  test("asks nobody where the world has crashed", async () => {
    let asked = 0;
    const folder = await claimed({ stop: () => void asked++ });
    const state = await folder.state();
    await folder.forget();
    if (state !== undefined) await folder.writeState(state);
    equal((await down()).code, 0);
    equal(asked, 0);
    await rejects(stat(folder.path), { code: "ENOENT" });
  });
});
