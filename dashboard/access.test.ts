import { deepEqual, equal, match } from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, test } from "@jest/globals";
import { Secret } from "@kyma-operators/errors";
import { Access, isLoopback } from "./access.ts";

const request = (headers: Readonly<Record<string, string>>): IncomingMessage =>
  ({ headers }) as unknown as IncomingMessage;
const token = "a-token-of-some-length";

describe("an address is on loopback", () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ["127.0.0.1:8085", true],
    ["127.1.2.3:0", true],
    ["localhost:8085", true],
    ["[::1]:8085", true],
    [":8085", false],
    ["0.0.0.0:8085", false],
    ["[::]:8085", false],
    ["10.0.0.1:8085", false],
    ["127.0.0.1.example.org:80", false],
    ["8085", false],
  ];
  for (const [bind, want] of cases) test(`${bind}: ${want}`, () => equal(isLoopback(bind), want));
});

describe("on loopback", () => {
  const access = new Access({ loopback: true, now: () => 0 });
  const cases: readonly (readonly [host: string, verdict: string])[] = [
    ["localhost:8085", "allowed"],
    ["127.0.0.1:8085", "allowed"],
    ["[::1]:8085", "allowed"],
    ["LOCALHOST", "allowed"],
    ["rebound.example.org:8085", "foreign"],
    ["localhost.example.org", "foreign"],
    ["", "foreign"],
  ];
  for (const [host, verdict] of cases) {
    test(`a request for ${host || "no host"} is ${verdict}`, async () =>
      equal(await access.verdict(request({ host })), verdict));
  }

  test("nobody signs in", async () => equal(await access.signIn("anything"), undefined));
});

describe("elsewhere", () => {
  let nowMs = 1_000_000;
  let current = token;
  const access = new Access({ loopback: false, now: () => nowMs, token: async () => new Secret(current) });
  const verdict = (headers: Readonly<Record<string, string>>) =>
    access.verdict(request({ host: "any.example.org", ...headers }));

  test("the token is asked for", async () => {
    deepEqual(
      await Promise.all([
        verdict({}),
        verdict({ authorization: "Bearer wrong" }),
        verdict({ authorization: `Basic ${token}` }),
        verdict({ authorization: `Bearer ${token}` }),
      ]),
      ["unknown", "unknown", "unknown", "allowed"],
    );
  });

  test("whoever signs in gets a cookie that scripts and other sites can't use", async () => {
    equal(await access.signIn("wrong"), undefined);
    const cookie = (await access.signIn(token)) ?? "";
    match(cookie, /; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    equal(cookie.includes(token), false);
    const pair = cookie.slice(0, cookie.indexOf(";"));
    equal(await verdict({ cookie: `other=1; ${pair}` }), "allowed");
  });

  test("a cookie ends in time, with the token, and when it is changed", async () => {
    const cookie = (await access.signIn(token)) ?? "";
    const pair = cookie.slice(0, cookie.indexOf(";"));
    equal(await verdict({ cookie: pair.replace(/=(\d)/, "=9$1") }), "unknown");
    current = "another-token-of-length";
    equal(await verdict({ cookie: pair }), "unknown");
    current = token;
    nowMs += 12 * 60 * 60 * 1000;
    equal(await verdict({ cookie: pair }), "unknown");
  });
});
