import { equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { isConnectionRelated, isNotFound } from "./error-classes.ts";

describe("error classes", () => {
  const coded = (code: string): Error => Object.assign(new Error("x"), { code });

  test("refused, unknown host, 401 and 403 are about our access; the rest may pass (U091)", () => {
    for (const code of ["KUBE_UNAUTHORIZED", "KUBE_FORBIDDEN", "ECONNREFUSED", "ENOTFOUND"])
      equal(isConnectionRelated(coded(code)), true, code);
    for (const code of ["KUBE_TIMEOUT", "ECONNRESET", "KUBE_SERVER", "EAI_AGAIN"])
      equal(isConnectionRelated(coded(code)), false, code);
  });

  test("an unknown kind counts as gone (fault 16)", () => {
    equal(isNotFound(new Error("deleting", { cause: coded("KUBE_NO_MATCH") })), true);
  });
});
