import { equal } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { systemClock } from "@kyma-operators/kube";
import { runCli } from "../cli/run.ts";
import { fakeIo } from "../cli/testing.ts";
import { helmCases } from "./helm-table.ts";

const program = join(import.meta.dirname, "../cmd/kyma.ts");

test("kyma template answers every recorded chart as helm 4 does, error texts included", () => {
  const command = `${process.execPath} --conditions=source ${program}`;
  const { stdout } = spawnSync(process.execPath, [join(helmCases, "check.mjs"), command, "--errors"], {
    encoding: "utf8",
    timeout: 600_000,
  });
  equal(stdout.trim(), "156 passed, 0 failed");
}, 600_000);

describe("kyma template --helm-compat=3 answers as helm 3 does where it differs", () => {
  const names = readdirSync(helmCases).filter((name) => existsSync(join(helmCases, name, "expected.helm3.yaml")));
  for (const name of names) {
    test(name, async () => {
      const folder = join(helmCases, name);
      const args = readFileSync(join(folder, "args"), "utf8").replace(/\n$/, "").split("\n");
      const io = { ...fakeIo(), cwd: folder, clock: systemClock };
      const code = await runCli(["template", ...args, "--helm-compat=3"], io);
      equal(io.out(), readFileSync(join(folder, "expected.helm3.yaml"), "utf8"), io.err());
      equal(code, 0);
    });
  }
});
