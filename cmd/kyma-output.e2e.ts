import { deepEqual } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { builtProgram, run } from "../e2e/programs.ts";

/** A shell line in which `kyma` is the built program. */
function shell(line: string): ReturnType<typeof run> {
  return run("bash", [
    "-o",
    "pipefail",
    "-c",
    `kyma() { "${process.execPath}" "${builtProgram("kyma")}" "$@"; }; ${line}`,
  ]);
}

describe("standard output", () => {
  test("may be closed by its reader", async () => {
    const { code, stdout, stderr } = await shell(
      "for i in 1 2 3; do kyma explain-error; done | head -n 1 | cut -c 1-4",
    );
    deepEqual({ code, stdout, stderr }, { code: 0, stdout: "CODE\n", stderr: "" });
  });

  test("that can't be written is a failure", async () => {
    if (process.platform !== "linux") return;
    const { code, stderr } = await shell("kyma explain-error > /dev/full");
    const text = "Error: standard output can't be written: ENOSPC: no space left on device, write\n";
    deepEqual({ code, stderr }, { code: 1, stderr: text });
  });
});
