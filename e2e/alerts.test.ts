import { equal, match } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { formatYaml, parseYaml, type YamlValue } from "@kyma-operators/yaml";
import { run } from "./programs.ts";

const folder = join(import.meta.dirname, "../config/prometheus");
const names = [...readdirSync(folder)].filter((name) => name.endsWith("-rules.yaml"));

describe("the alert rules", () => {
  for (const name of names) {
    test(`${name} is accepted by promtool, of Debian's package prometheus`, async () => {
      const { spec } = parseYaml(await readFile(join(folder, name), "utf8"), { name }) as { readonly spec: YamlValue };
      const place = await mkdtemp(join(tmpdir(), "alerts-"));
      try {
        await writeFile(join(place, name), formatYaml(spec));
        const { code, stdout, stderr } = await run("promtool", ["check", "rules", join(place, name)]);
        equal(code, 0, stderr);
        match(stdout, /SUCCESS: \d+ rules found/);
      } finally {
        await rm(place, { recursive: true, force: true });
      }
    });
  }
});
