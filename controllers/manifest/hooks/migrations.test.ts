import { deepEqual, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { parseMigrations, stepsBetween } from "./migrations.ts";

describe("migrations", () => {
  const step = (name: string, version: string): object => ({
    name,
    version,
    job: { apiVersion: "batch/v1", kind: "Job", metadata: { name } },
  });
  const parse = (steps: unknown): unknown => parseMigrations(JSON.stringify({ steps }), "layer");

  test("the steps between two versions are those above the old and up to the new one", () => {
    const steps = parseMigrations(
      JSON.stringify({ steps: [step("c", "3.0.0"), step("b", "2.0.0"), step("a", "1.0.0")] }),
      "x",
    );

    deepEqual(
      stepsBetween(steps, "1.0.0", "3.0.0").map(({ name }) => name),
      ["b", "c"],
    );
    deepEqual(stepsBetween(steps, undefined, "3.0.0"), [], "a first installation needs none");
    deepEqual(stepsBetween(steps, "3.0.0", "1.0.0"), [], "a downgrade needs none");
  });

  test("what is wrong is named by step and field", () => {
    throws(() => parse([{}]), /layer: step 1: name is missing/);
    throws(() => parse([{ name: "a", version: "x" }]), /step 1 \(a\): version is "x", expected a semantic version/);
    throws(() => parse([{ name: "a", version: "1.0.0" }]), /expected one of job and patch/);
    throws(() => parse([step("a", "1.0.0"), step("a", "2.0.0")]), /two steps have the name a/);
  });
});
