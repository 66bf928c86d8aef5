import { equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { customReadiness } from "./custom-readiness.ts";

describe("customReadiness", () => {
  const object = { apiVersion: "v1", kind: "X", metadata: { name: "x" }, status: { phase: "Running", size: 3 } };

  test("an expression decides; a field that is missing is waited for", () => {
    equal(customReadiness("self.status.phase == 'Running' && self.status.size > 2")(object).state, "ready");
    equal(customReadiness("self.status.size > 3")(object).state, "progressing");
    equal(customReadiness("self.status.nothing.here")(object).state, "progressing");
  });

  test("an expression that is none is refused by name", () => {
    throws(
      () => customReadiness("self ==="),
      /operator\.kyma-project\.io\/ready-when: "self ===" is no CEL expression/,
    );
  });
});
