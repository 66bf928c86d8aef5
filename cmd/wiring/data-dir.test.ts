import { equal, rejects } from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "@jest/globals";
import { openDataDir } from "./data-dir.ts";

test("a folder for content that can't be written ends the start, with the way out (fault 23)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "data-dir-"));
  try {
    equal((await openDataDir(join(folder, "new/deep"))).folder, join(folder, "new/deep"));
    await writeFile(join(folder, "file"), "");
    await rejects(openDataDir(join(folder, "file/below")), {
      code: "START_DATA_DIR",
      message: /^--data-dir: .*file\/below can't be written \(.*\); mount a volume there or name another folder$/,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("without a folder of its own the process gets a private one, and removes it", async () => {
  const data = await openDataDir("");
  equal((await stat(data.folder)).mode & 0o777, 0o700);
  await data.close();
  await rejects(stat(data.folder), { code: "ENOENT" });
});
