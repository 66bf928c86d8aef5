import { equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "@jest/globals";
import { casesDir } from "./cases-dir.ts";

const runner = join(casesDir, "cases/kustomize/check.mjs");
/** The command line from its sources: the built one gives the same, but has to be built first. */
const program = join(import.meta.dirname, "../cmd/kyma.ts");

test("kyma kustomize answers every recorded case as kubectl does", () => {
  const command = `${process.execPath} --conditions=source ${program}`;
  const { stdout, status } = spawnSync(process.execPath, [runner, command], { encoding: "utf8", timeout: 600_000 });

  match(stdout, /^161 cases, \d+ refused by name, 0 failed$/m);
  equal(status, 0);
}, 600_000);
