import { deepEqual, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { exportedApi } from "./exported-api.ts";

const root = join(import.meta.dirname, "..");
const indexOf = (path: string): string => join(root, path, "index.ts");

describe("the API reference", () => {
  for (const path of ["packages/kube", "packages/runtime", "packages/oras-js", "packages/errors", "packages/schema"]) {
    test(`shows every value that ${path} exports when it is loaded`, async () => {
      const loaded = Object.keys((await import(indexOf(path))) as object).sort();
      const values = exportedApi(indexOf(path)).filter(({ kind }) => kind !== "Types");
      deepEqual(
        values.map(({ name }) => name),
        loaded,
      );
    });
  }

  test("shows signatures and comments, but neither bodies nor private parts", () => {
    const items = new Map(exportedApi(indexOf("packages/errors")).map((item) => [item.name, item]));
    const secret = items.get("Secret");
    match(secret?.signature ?? "", /^class Secret<T = string> \{\n[\s\S]*\n {2}reveal\(\): T;\n/);
    match(secret?.doc ?? "", /^A value that must not reach a log/);
    for (const { name, signature } of items.values()) {
      ok(!/#\w|private |return |=> \{/.test(signature), `${name}: ${signature}`);
    }
  });

  test("follows what another package declares", () => {
    const clock = exportedApi(indexOf("packages/kube")).find(({ name }) => name === "Clock");
    match(clock?.signature ?? "", /^interface Clock \{/);
  });
});
