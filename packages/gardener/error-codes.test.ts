import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { codesOf, describeErrors, errorCodes, isRetryable } from "./error-codes.ts";

const fatal = ["ERR_INFRA_UNAUTHENTICATED", "ERR_INFRA_UNAUTHORIZED"];

describe("F29: which Gardener errors are worth another try", () => {
  for (const code of [...errorCodes.filter((each) => !fatal.includes(each)), "ERR_NEVER_HEARD_OF"]) {
    test(`${code} is`, () => {
      equal(isRetryable([{ codes: [code] }]), true);
    });
  }

  test("an error without a code is", () => {
    equal(isRetryable([{}]), true);
  });

  for (const code of fatal) {
    test(`${code} is not, whatever stands beside it`, () => {
      equal(isRetryable([{ codes: [code] }]), false);
      equal(isRetryable([{ codes: ["ERR_INFRA_RATE_LIMITS_EXCEEDED"] }, { codes: [code] }]), false);
    });
  }

  test("no error at all is not", () => {
    equal(isRetryable([]), false);
    equal(isRetryable(undefined), false);
  });
});

test("F30: descriptions are numbered, with the trailing blank operators know", () => {
  equal(describeErrors([{ description: "first" }, { description: "second" }]), "1) first 2) second ");
});

test("codes are listed once, in order", () => {
  deepEqual(codesOf([{ codes: ["B", "A"] }, {}, { codes: ["A", "C"] }]), ["B", "A", "C"]);
});
