import { deepEqual } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { fieldsWithoutMeaning } from "./pages/crds.ts";

describe("the definitions in crds/", () => {
  test("say of every served field what it means: kubectl explain and the reference pages show it", () => {
    deepEqual(fieldsWithoutMeaning, []);
  });
});
