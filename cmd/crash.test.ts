import { equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "@jest/globals";

/** What a process says that crashes by this statement. */
function crashed(statement: string): { readonly code: number | null; readonly stderr: string } {
  const module = JSON.stringify(join(import.meta.dirname, "crash.ts"));
  const script = `
    import { writeSync } from "node:fs";
    import { endOnCrash } from ${module};
    endOnCrash((text) => void writeSync(2, text + "\\n"));
    ${statement}
    setTimeout(() => undefined, 60_000);`;
  const args = ["--conditions=source", "--no-warnings", "--input-type=module", "--eval", script];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: import.meta.dirname });
  return { code: status, stderr };
}

describe("an error that nobody catches ends the process, with its stack and without credentials", () => {
  const cases = [
    ["uncaughtException", 'setTimeout(() => { throw new Error("refused Bearer hunter2hunter2"); });'],
    ["unhandledRejection", 'Promise.reject(new Error("x", { cause: "https://me:hunter2@host" }));'],
    ["unhandledRejection", 'Promise.reject(Object.assign(new Error("x"), { options: { token: "hunter2hunter2" } }));'],
  ] as const;
  for (const [origin, statement] of cases) {
    test(`${origin} of ${statement}`, () => {
      const { code, stderr } = crashed(statement);
      equal(code, 1);
      match(stderr, new RegExp(`^${origin}: Error: `));
      match(stderr, /\n +at /);
      equal(stderr.includes("hunter2"), false, stderr);
    });
  }
});
