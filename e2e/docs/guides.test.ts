import { deepEqual, ok } from "node:assert/strict";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { commandBlocks } from "./guide-blocks.ts";
import { GuideRun } from "./guide-run.ts";

const root = join(import.meta.dirname, "..", "..");
const guides = globSync("docs/guides/*.md", { cwd: root }).sort();
const blocksOf = async (guide: string) => commandBlocks(await readFile(join(root, guide), "utf8"));

describe("every command of the guides runs in a clean folder and prints what they show", () => {
  for (const guide of guides) {
    test(guide, async () => {
      const blocks = await blocksOf(guide);
      if (blocks.every(({ how }) => how.kind === "not-run")) return;
      const run = await GuideRun.start();
      try {
        await run.execute(guide, blocks, 120_000);
      } finally {
        await run.stop();
      }
    }, 150_000);
  }

  test("few blocks are not run, each for a reason", async () => {
    const all = await Promise.all(guides.map(blocksOf));
    const blocks = all.flat();
    const left = blocks.flatMap(({ how }) => (how.kind === "not-run" ? [how.reason] : []));
    deepEqual(
      left.filter((reason) => reason.length < 20),
      [],
    );
    ok(left.length * 8 <= blocks.length, `${left.length} of ${blocks.length} are not run`);
  });
});
