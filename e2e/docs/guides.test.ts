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

  test("what runbooks say between the lines is among it, too", () => {
    const guide = "docs/guides/runbooks.md";
    const page = readFileSync(join(root, guide), "utf8");
    const ran = (blocks.get(guide) ?? []).map(({ commands }) => commands).join("\n");
    const asked = [...page.matchAll(/`((?:k|kubectl) [^`\n]+)`/g)].map(([, command = ""]) =>
      command
        .replace(/\b(NAME|KYMA|ID|SHOOT)\b(?!:)/g, "demo")
        .replace("PROJECT", "kyma-dev")
        .replace(/^kubectl -n garden/, "-n garden"),
    );
    // The logs of a Pod that was restarted, and lines that only a fault writes.
    const needsFault = /--previous|grep '"(level|controller)":"(error|runtime)"'/;
    deepEqual(
      asked.filter((command) => !needsFault.test(command) && !ran.includes(command)),
      [],
    );
    ok(asked.length > 10);
  });

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
