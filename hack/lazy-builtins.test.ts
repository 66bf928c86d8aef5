import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { transform } from "esbuild";
import { withLazyBuiltins } from "./lazy-builtins.ts";

const object = (module: string): string => `globalThis.process.getBuiltinModule("${module}")`;

describe("withLazyBuiltins", () => {
  const rewritten: readonly [statement: string, expected: string][] = [
    ['import fs from "fs";', `const fs = ${object("fs")};`],
    ['import * as path$1 from "node:path";', `const path$1 = ${object("node:path")};`],
    ['import { join } from "node:path";', `const { join } = ${object("node:path")};`],
    ['import { inspect as inspect2, format } from "util";', `const { inspect: inspect2, format } = ${object("util")};`],
    ['import p, { join } from "path";', `const p = ${object("path")}, { join } = ${object("path")};`],
    ['import {\n  join,\n  sep\n} from "path/posix";', `const {\n  join,\n  sep\n} = ${object("path/posix")};`],
  ];
  for (const [statement, expected] of rewritten) {
    test(`rewrites ${JSON.stringify(statement)} as esbuild writes it`, async () => {
      const { code } = await transform(statement, { format: "esm" });
      equal(withLazyBuiltins(code), `${expected}\n`);
    });
  }

  test("leaves everything else as it is", () => {
    const kept = [
      'import { a } from "./chunk.js";',
      'import { a } from "package";',
      'import "node:fs";',
      'import { default as fs } from "node:fs";',
      'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      'const text = `import fs from "fs"`;',
    ];
    deepEqual(withLazyBuiltins(kept.join("\n")).split("\n"), kept);
  });
});
