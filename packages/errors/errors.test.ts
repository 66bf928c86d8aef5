import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { inspect } from "node:util";
import { describe, test } from "@jest/globals";
import { defineErrors, hasCode, isAppError, redact, retryOf, Secret, textOf } from "./index.ts";

const sample = defineErrors("SAMPLE", {
  MISSING: { retry: "on-change", text: (d: { name: string }) => `${d.name} is missing` },
});

describe("defineErrors", () => {
  test("an error carries code, retry class, detail, text and cause", () => {
    const error = sample.MISSING({ name: "a" }, new Error("disk"));
    equal(error.code, "SAMPLE_MISSING");
    equal(retryOf(error), "on-change");
    deepEqual(error.detail, { name: "a" });
    equal(textOf(error), "a is missing: disk");
    ok(isAppError(error) && hasCode(error, "SAMPLE_MISSING"));
  });

  test("a code can be defined only once", () => {
    throws(() => defineErrors("SAMPLE", { MISSING: { retry: "never", text: () => "" } }), /SAMPLE_MISSING/);
  });

  test("what is not ours backs off", () => {
    equal(retryOf(new Error("x")), "backoff");
    equal(textOf("plain"), "plain");
  });
});

test("references with tag and digest stay readable", () => {
  for (const text of ["registry.test/a:1.0@sha256:abc", "a:1.0@sha256:abc", '"https://host:5000/a@sha256:abc"']) {
    equal(redact(text), text);
  }
});

test("what only looks like a credential stays readable", () => {
  const texts = [
    "invalid token: found character that cannot start any token",
    "ssh://git@github.com/x, docker://alpinelinux@sha256:abc",
    "https://host/token?service=registry&scope=repository:a:pull",
    'the field "password" is missing',
    '"a-very-long-name-of-an-image@sha256:abc" of "somebody@example.org"',
    'spec.tokenRef.name: Invalid value: "Upper": must be lower case',
  ];
  for (const text of texts) equal(redact(text), text);
});

describe("redaction", () => {
  test("a Secret shows nothing however it is printed", () => {
    const secret = new Secret("hunter2");
    equal([String(secret), JSON.stringify({ secret }), inspect({ secret })].join("").includes("hunter2"), false);
    equal(secret.reveal(), "hunter2");
  });

  const cases = [
    { name: "password in a URL", text: "https://user:pass@host/x", gone: "pass" },
    { name: "password before a host", text: '"user:s3cret@127.0.0.1:1" is no host name', gone: "s3cret" },
    { name: "bearer token", text: "Authorization: Bearer abcdefgh12345", gone: "abcdefgh12345" },
    { name: "private key", text: "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", gone: "MIIE" },
    { name: "private key that is cut off", text: "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANB", gone: "MIIEvQ" },
    { name: "token in the place of a user", text: "https://glpat-Xy12345678@host/x", gone: "glpat" },
    { name: "token before a host", text: '"glpat-Xy12345678901234@127.0.0.1:1" is no host', gone: "glpat" },
    { name: "token in a query", text: "GET https://host/x?a=b&access_token=s3cret: 403", gone: "s3cret" },
    { name: "signature in a query", text: "https://host/blob?X-Amz-Signature=abc123&se=1 is gone", gone: "abc123" },
    { name: "password in JSON", text: 'found {"auth_password": "hunter2", "a": 1}', gone: "hunter2" },
    { name: "token in quoted JSON", text: 'no JSON: "{\\"id_token\\":\\"hunter2\\"}"', gone: "hunter2" },
    { name: "password with a quote in JSON", text: '{"password":"abc\\"def"}', gone: "def" },
    { name: "password with a quote in quoted JSON", text: JSON.stringify('{"password":"abc\\"def"}'), gone: "def" },
    {
      name: "password with many escapes",
      text: JSON.stringify('{"password":"\\\\\\n\\u00e9hunter2"}'),
      gone: "hunter2",
    },
    { name: "password that is cut off in JSON", text: '{"password":"abc\\"de', gone: "de" },
    { name: "private key in JSON", text: '{"privateKey": "hunter2", "a": 1}', gone: "hunter2" },
    { name: "API key in a query", text: "GET https://host/x?api_key=hunter2: 403", gone: "hunter2" },
    { name: "secret that API servers quote", text: 'clientSecret: Invalid value: "hunter2"', gone: "hunter2" },
    { name: "quoted value that is cut off", text: 'db.password: Invalid value: "hunter2', gone: "hunter2" },
    { name: "password before a host after a path", text: "https://host/x,user:s3cret@host", gone: "s3cret" },
    {
      name: "value of a field that API servers quote",
      text: 'X "a" is invalid: spec.db.adminPassword: Invalid value: "hunter2 \\"x\\"": too short',
      gone: "hunter2",
    },
    { name: "token without a header", text: "got eyJhbGciOi.eyJzdWIiOi.c2ln", gone: "eyJzdWIiOi" },
  ];
  for (const { name, text, gone } of cases) {
    test(`masks a ${name}`, () => {
      equal(redact(text).includes(gone), false);
      ok(redact(text).includes("[redacted]"));
    });
  }

  test("what follows a masked text in JSON stays", () => {
    const textWith = (password: string): string => JSON.stringify({ password, a: "b\\" });
    for (const password of ['hunter2"', "hunter2\\", '\\"', "\\\\", "hünter\n2"]) {
      equal(redact(textWith(password)), textWith("[redacted]"));
      equal(redact(JSON.stringify(textWith(password))), JSON.stringify(textWith("[redacted]")));
    }
  });

  test("takes no longer than a text is long, whatever it is", () => {
    const escapes = ["\\", String.raw`\\\"`].flatMap((part) =>
      ['"password":"', String.raw`\"password\":\"`].map((begin) => [begin, part] as const),
    );
    const parts = [",", ",,:", "~", " ", "a:", "://", "token-", '"token":"', "eyJ", "-----BEGIN PRIVATE KEY-----"];
    for (const [begin, part] of [...escapes, ...parts.map((text) => ["", text] as const)]) {
      const started = performance.now();
      redact(begin + part.repeat(200_000 / part.length));
      ok(performance.now() - started < 2_000, `${begin}${part}`);
    }
  });
});
