import { equal } from "node:assert/strict";
import { test } from "@jest/globals";
import { unreachable } from "./answers.ts";

const at = { ref: "reg.test/a:1", host: "reg.test" };

test("an error of OpenSSL is told by its phrase, with what to do", () => {
  const cause = Object.assign(
    new Error(
      "407D2C24267F0000:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:ssl/record/methods/tlsany_meth.c:77:",
    ),
    { code: "ERR_SSL_WRONG_VERSION_NUMBER" },
  );
  equal(
    unreachable(cause, at).message,
    "reg.test/a:1: reg.test cannot be reached: wrong version number (ERR_SSL_WRONG_VERSION_NUMBER); the host seems to speak plain HTTP, write http:// before it",
  );
});

test("a refused connection says what to check", () => {
  const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
  equal(
    unreachable(cause, at).message,
    "reg.test/a:1: reg.test cannot be reached: connect ECONNREFUSED 127.0.0.1:1; check host and port",
  );
});
