import { deepEqual, ok } from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, test } from "@jest/globals";
import { type CommandBlock, commandBlocks } from "./guide-blocks.ts";
import { GuideRun } from "./guide-run.ts";

const root = join(import.meta.dirname, "..", "..");
// Copied: what Node's core answers to jest is of another realm.
const guides = [...globSync("docs/guides/*.md", { cwd: root })].sort();
const blocks = new Map(guides.map((guide) => [guide, commandBlocks(readFileSync(join(root, guide), "utf8"))]));
/** Guides at once: they wait most of the time, for clusters that take a while to come. */
const lanes = 4;

async function follow(guide: string, commands: readonly CommandBlock[]): Promise<void> {
  if (commands.every(({ how }) => how.kind === "not-run")) return;
  const run = await GuideRun.start();
  try {
    await run.execute(guide, commands, 150_000);
  } finally {
    await run.stop();
  }
}

describe("every command of the guides runs in a clean folder and prints what they show", () => {
  const endings = new Map<string, unknown>();

  beforeAll(async () => {
    const waiting = [...blocks];
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [guide, commands] = next;
        await follow(guide, commands).then(
          () => endings.set(guide, "followed"),
          (error: unknown) => endings.set(guide, error),
        );
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }, 600_000);

  for (const guide of guides) {
    test(guide, () => {
      const ending = endings.get(guide);
      if (ending !== "followed") throw ending;
    });
  }

  test("few blocks are not run, each for a reason", () => {
    const all = [...blocks.values()].flat();
    const left = all.flatMap(({ how }) => (how.kind === "not-run" ? [how.reason] : []));
    deepEqual(
      left.filter((reason) => reason.length < 20),
      [],
    );
    ok(left.length * 8 <= all.length, `${left.length} of ${all.length} are not run`);
  });
});
