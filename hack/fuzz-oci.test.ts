import { equal, ok } from "node:assert/strict";
import { test } from "@jest/globals";
import { fuzzOci } from "./fuzz-oci.ts";

test("damaged input to the parsers of registries is read or refused, never anything else", async () => {
  const results = await fuzzOci({ inputs: 6_000, seed: 20_261_130 });
  equal(results.length, 6);
  for (const { name, accepted, inputs, slowestMs, growthMiB } of results) {
    ok(accepted > 0 && accepted < inputs, `${name}: ${accepted} of ${inputs} were read`);
    ok(slowestMs < 1_000, `${name}: an input took ${slowestMs} ms`);
    ok(growthMiB < 256, `${name}: memory grew by ${growthMiB} MiB`);
  }
}, 30_000);
