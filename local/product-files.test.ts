import { equal } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { build } from "esbuild";
import { productRoot, programsFolder } from "./product-files.ts";

describe("programsFolder", () => {
  test("is dist of the product for what runs from its sources", () => {
    equal(programsFolder(), join(productRoot(), "dist"));
  });

  test("is the folder that the program was built into, wherever that is", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "kyma-programs-")));
    const contents = 'import("./product-files.ts").then(({ programsFolder }) => console.log(programsFolder()));';
    await build({
      stdin: { contents, resolveDir: import.meta.dirname },
      outfile: join(folder, "kyma.js"),
      bundle: true,
      format: "esm",
      platform: "node",
    });
    equal(execFileSync(process.execPath, [join(folder, "kyma.js")], { encoding: "utf8" }), `${folder}\n`);
    await rm(folder, { recursive: true });
  });
});
