import { match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "@jest/globals";
import { casesDir } from "./cases-dir.ts";

const folder = join(casesDir, "cases/kyma");
const program = join(import.meta.dirname, "../dist/kyma.js");

test("the built program answers every plan as recorded", () => {
  const checker = [join(folder, "check.mjs"), folder, "--", process.execPath, program];
  const { stdout } = spawnSync(process.execPath, checker, { encoding: "utf8", timeout: 280_000 });

  match(stdout, /^\d+ passed, 0 failed\n$/, stdout);
}, 300_000);
