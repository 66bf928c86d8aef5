import { deepEqual, equal } from "node:assert/strict";
import { watch } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { builtProgram, eventually, kyma, start } from "../programs.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "kyma-e2e-"));
});
afterEach(async () => rm(root, { recursive: true, force: true }));

interface State {
  readonly control?: string;
  readonly token?: string;
}

describe("a local world that is told to stop while it starts", () => {
  test("starts nothing more and ends as if it had been interrupted", async () => {
    const folder = join(root, "world");
    await mkdir(folder);
    const made = new Set<string>();
    const watcher = watch(folder, (_event, name) => void made.add(name ?? ""));
    const up = start(process.execPath, [builtProgram("kyma"), "local", "up", "--demo", "--data-dir", folder]);

    const { control, token } = await eventually(
      async () => {
        const state = JSON.parse(await readFile(join(folder, "state.json"), "utf8").catch(() => "{}")) as State;
        return state.token === undefined ? undefined : state;
      },
      () => up.output(),
      { everyMs: 1 },
    );
    await fetch(`${control}/stop`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
    const { code, stderr } = await up.finished;
    watcher.close();

    deepEqual([code, stderr], [130, ""]);
    deepEqual([made.has("state.json"), made.has("operator.log")], [true, false]);
    equal((await kyma(["local", "down", "--data-dir", folder])).code, 0);
    equal(await stat(folder).catch(() => undefined), undefined);
  });
});
