import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { systemClock } from "@kyma-operators/kube";
import { callControl, serveControl } from "./control.ts";
import { WorldFolder } from "./state-files.ts";
import { runProgram } from "./system-process.ts";
import { askWorld, starting } from "./world-status.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "kyma-local-"));
});
afterEach(async () => rm(root, { recursive: true, force: true }));

describe("the folder of a world", () => {
  test("is private, starts empty each time and goes away", async () => {
    const folder = new WorldFolder(join(root, "world"));
    await folder.claim();
    await folder.write("old", "x");
    await folder.forget();
    await folder.claim();
    equal((await stat(folder.path)).mode & 0o777, 0o700);
    await rejects(readFile(folder.file("old")), { code: "ENOENT" });
    await folder.remove();
    await rejects(stat(folder.path), { code: "ENOENT" });
  });

  test("is never emptied when somebody else made it", async () => {
    await writeFile(join(root, "thesis.txt"), "x");
    await rejects(new WorldFolder(root).claim(), /is not a data directory of "kyma local" \(found thesis.txt\)/);
    equal(await readFile(join(root, "thesis.txt"), "utf8"), "x");
  });

  test("is taken by one of many that start at once, and by the next one after its end, however that came", async () => {
    const folders = Array.from({ length: 5 }, () => new WorldFolder(join(root, "world")));
    const results = await Promise.allSettled(folders.map((folder) => folder.claim()));
    const refusals = results.filter((result) => result.status === "rejected").map(({ reason }) => String(reason));
    equal(refusals.length, 4, refusals.join("\n"));
    for (const text of refusals) match(text, /already running from .*"kyma local down --data-dir .*world"/);
    const owner = folders[results.findIndex(({ status }) => status === "fulfilled")];
    await owner?.writeState({ pid: 7, startedAt: "", control: "http://127.0.0.1:1", token: "t" });
    await rejects(new WorldFolder(join(root, "world")).claim(), /\(process 7\)/);
    equal((await owner?.state())?.pid, 7);
    await owner?.forget();
    await new WorldFolder(join(root, "world")).claim();
  });

  test("is not removed while somebody has it, whether or not its state can be read", async () => {
    const [owner, other] = [new WorldFolder(join(root, "world")), new WorldFolder(join(root, "world"))];
    equal(await other.isTaken(), false);
    await owner.claim();
    equal(await other.isTaken(), true);
    await rejects(other.remove(), { code: "LOCAL_RUNNING" });
    equal(await readFile(owner.file("state.json"), "utf8"), "{}");
    await owner.forget();
    equal(await other.isTaken(), false);
    await other.remove();
    await rejects(stat(owner.path), { code: "ENOENT" });
  });

  test("folders above it are made, and a place where none can be made is refused at once", async () => {
    const deep = new WorldFolder(join(root, "a", "b", "world"));
    await deep.claim();
    equal((await stat(deep.path)).isDirectory(), true);
    if (process.platform === "linux") {
      await rejects(new WorldFolder("/proc/world").claim(), /cannot write to \/proc\/world \(ENOENT\)/);
    }
  });

  test("a path below a file is refused with the way out", async () => {
    await writeFile(join(root, "file"), "x");
    await rejects(new WorldFolder(join(root, "file", "world")).claim(), /cannot write to .*ENOTDIR.*--data-dir/);
  });
});

describe("a world that is asked how it is", () => {
  test("is told apart while it starts, when all of it is there, and when nobody answers", async () => {
    const folder = new WorldFolder(join(root, "world"));
    await folder.claim();
    equal(await askWorld(folder), undefined);
    let answer: unknown = starting;
    const server = await serveControl({ status: async () => answer, stop: () => undefined }, "right");
    await folder.writeState({ pid: 1, startedAt: "", control: server.url, token: "right" });
    await rejects(askWorld(folder), { code: "LOCAL_STARTING" });
    answer = { rows: [] };
    deepEqual(await askWorld(folder), answer);
    server.close();
    equal(await askWorld(folder), undefined);
  });
});

describe("the control endpoint", () => {
  test("answers and stops only for the token", async () => {
    let stopped = 0;
    const server = await serveControl({ status: async () => ({ fine: true }), stop: () => void stopped++ }, "right");
    const state = { pid: 1, startedAt: "", control: server.url, token: "right" };
    equal(JSON.stringify(await callControl(state, "GET", "/status")), '{"fine":true}');
    equal(await callControl({ ...state, token: "wrong" }, "POST", "/stop"), undefined);
    equal(stopped, 0);
    await callControl(state, "POST", "/stop");
    equal(stopped, 1);
    server.close();
    equal(await callControl(state, "GET", "/status"), undefined);
  });
});

describe("a supervised program", () => {
  test("is started again when it is killed and ends when asked", async () => {
    const script = join(root, "program.mjs");
    await writeFile(script, "setInterval(() => {}, 1000)");
    const restarted = Promise.withResolvers<string>();
    const program = runProgram({
      script,
      args: [],
      log: join(root, "log"),
      clock: systemClock,
      onRestart: restarted.resolve,
      onFailure: restarted.reject,
    });
    const first = program.pid;
    ok(first !== undefined);
    process.kill(first, "SIGKILL");
    equal(await restarted.promise, "SIGKILL");
    while (program.pid === first) await systemClock.sleep(20);
    await program.stop(2_000);
    await rejects(async () => process.kill(program.pid ?? 0, 0), { code: "ESRCH" });
  });

  test("ends when whoever started it is killed", async () => {
    const script = join(root, "program.mjs");
    await writeFile(script, "setInterval(() => {}, 1000)");
    const starter = `
      const { runProgram } = await import(${JSON.stringify(join(import.meta.dirname, "system-process.ts"))});
      const clock = { now: () => Date.now(), after: () => () => undefined };
      const options = { script: ${JSON.stringify(script)}, args: [], log: ${JSON.stringify(join(root, "log"))}, clock };
      console.log(runProgram({ ...options, onRestart() {}, onFailure() {} }).pid);
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["--conditions=source", "--input-type=module", "-e", starter], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
    process.kill(pid, 0);
    parent.kill("SIGKILL");
    const isGone = (): boolean => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    };
    while (!isGone()) await systemClock.sleep(20);
  });

  test("is given up with its last words when it never starts", async () => {
    const script = join(root, "broken.mjs");
    await writeFile(script, "console.log('no port left'); process.exit(1)");
    const failed = Promise.withResolvers<Error>();
    runProgram({
      script,
      args: [],
      log: join(root, "log"),
      clock: systemClock,
      onRestart: () => undefined,
      onFailure: failed.resolve,
    });
    const error = await failed.promise;
    ok(error.message.includes("the operator does not start: no port left"), error.message);
  });

  test("is started again however often and early it is killed", async () => {
    const script = join(root, "killed.mjs");
    await writeFile(script, "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);");
    const restarts = Promise.withResolvers<void>();
    let count = 0;
    const program = runProgram({
      script,
      args: [],
      log: join(root, "log"),
      clock: systemClock,
      onRestart: () => {
        count += 1;
        if (count === 5) restarts.resolve();
      },
      onFailure: restarts.reject,
    });
    await restarts.promise;
    await program.stop(1_000);
  });
});
