import { equal } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import type { ProcessEnd } from "./system-process.ts";
import { withMessage } from "./termination-message.ts";

describe("the message of a container that failed is the end of its log", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "termination-message-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function messageOf(log: string, ended: ProcessEnd, logStart = 0): Promise<string | undefined> {
    const file = join(folder, "main.log");
    await writeFile(file, log);
    const process = { logStart, ended: Promise.resolve(ended), stop: async () => undefined };
    return (await withMessage(process, file).ended).message;
  }

  test("of this run alone", async () => {
    equal(await messageOf("before\nError: no\n", { exitCode: 4 }, 7), "Error: no\n");
  });

  test("80 lines at most", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `${index}\n`);
    equal(await messageOf(lines.join(""), { exitCode: 1 }), lines.slice(20).join(""));
  });

  test("2048 bytes at most, without half a character", async () => {
    equal(await messageOf(`${"ü".repeat(2000)}!`, { exitCode: 1 }), `${"ü".repeat(1023)}!`);
  });

  test("nothing when it said nothing, when it succeeded, or when its end is known better", async () => {
    equal(await messageOf("", { exitCode: 1 }), undefined);
    equal(await messageOf("done\n", { exitCode: 0 }), undefined);
    equal(await messageOf("x\n", { exitCode: 128, message: "spawn ENOENT" }), "spawn ENOENT");
  });
});
