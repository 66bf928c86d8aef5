import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { inspect } from "node:util";
import { describe, test } from "@jest/globals";
import { credentialsFrom, firstOf, noCredentials, parseDockerConfig } from "./credentials.ts";

const basic = (text: string): string => Buffer.from(text).toString("base64");

async function userFor(config: unknown, host: string, path = "a"): Promise<string | undefined> {
  const credential = await credentialsFrom(parseDockerConfig(JSON.stringify(config), "test"))({ host, path });
  return credential?.username;
}

describe("a docker config", () => {
  const auths = {
    "https://index.docker.io/v1/": { auth: basic("hub:p") },
    "reg.io": { username: "plain", password: "p" },
    "reg.io/team": { auth: basic("team:p:with:colons") },
    "http://reg.io:5000/v2/": { auth: basic("port:p") },
    "*.example.com": { auth: basic("star:p") },
    "exact.example.com": { auth: basic("exact:p") },
    "helper.io": {},
  };
  const cases = [
    { name: "finds Docker Hub by any of its names", host: "docker.io", want: "hub" },
    { name: "finds Docker Hub by its API host", host: "registry-1.docker.io", want: "hub" },
    { name: "matches a host", host: "reg.io", want: "plain" },
    { name: "ignores the standard port", host: "reg.io:443", want: "plain" },
    { name: "prefers the longer path", host: "reg.io", path: "team/app", want: "team" },
    { name: "ends a path at a slash", host: "reg.io", path: "teams", want: "plain" },
    { name: "tells ports apart", host: "reg.io:5000", want: "port" },
    { name: "ignores the case of hosts", host: "REG.io", want: "plain" },
    { name: "takes a star for one label", host: "a.example.com", want: "star" },
    { name: "takes no star for two labels", host: "a.b.example.com", want: undefined },
    { name: "prefers the exact host to a star", host: "exact.example.com", want: "exact" },
    { name: "leaves out what a helper keeps", host: "helper.io", want: undefined },
    { name: "knows nothing of other hosts", host: "reg.io.evil.com", want: undefined },
  ];
  for (const { name, host, path = "a", want } of cases) {
    test(name, async () => equal(await userFor({ auths }, host, path), want));
  }

  test("keeps what follows the first colon of auth as password", async () => {
    const find = credentialsFrom(parseDockerConfig(JSON.stringify({ auths }), "test"));
    equal((await find({ host: "reg.io", path: "team" }))?.password?.reveal(), "p:with:colons");
  });

  test("reads identity and registry tokens", () => {
    const [entry] = parseDockerConfig(
      JSON.stringify({ auths: { r: { identitytoken: "i", registrytoken: "t" } } }),
      "test",
    );
    equal(entry?.credential.identityToken?.reveal(), "i");
    equal(entry?.credential.registryToken?.reveal(), "t");
  });

  test("is read in the older form without auths", async () => {
    equal(await userFor({ "reg.io": { auth: basic("old:p") }, detachKeys: "ctrl-a" }, "reg.io"), "old");
  });

  test("may hold no credentials at all", () => {
    deepEqual(parseDockerConfig("{}", "test"), []);
    deepEqual(parseDockerConfig('{"credsStore":"desktop"}', "test"), []);
  });

  const malformed = [
    { name: "no JSON", content: '{"auths": {"reg.io": {"password": "hunter2"', reason: /expected a JSON object/ },
    { name: "a list", content: "[]", reason: /expected a JSON object/ },
    { name: "auths that are no object", content: '{"auths":[]}', reason: /auths must be an object/ },
    { name: "an entry that is no object", content: '{"auths":{"reg.io":"hunter2"}}', reason: /entry of "reg.io"/ },
    {
      name: "an auth without colon",
      content: `{"auths":{"reg.io":{"auth":"${basic("hunter2")}"}}}`,
      reason: /base64 of user:password/,
    },
    { name: "too much", content: `"${"x".repeat(1_048_577)}"`, reason: /larger than/ },
  ];
  for (const { name, content, reason } of malformed) {
    test(`refuses ${name}, naming the Secret and no secret`, () => {
      throws(
        () => parseDockerConfig(content, "Secret kcp-system/pull"),
        (error: Error & { code?: string }) => {
          equal(error.code, "OCI_CREDENTIALS_MALFORMED");
          ok(reason.test(error.message), error.message);
          ok(error.message.includes("kcp-system/pull"));
          ok(!inspect(error, { depth: 9 }).includes("hunter2"));
          return true;
        },
      );
    });
  }

  test("shows no secret when it is printed", () => {
    const entries = parseDockerConfig(JSON.stringify({ auths: { r: { username: "u", password: "hunter2" } } }), "test");
    ok(!inspect(entries, { depth: 9 }).includes("hunter2") && !JSON.stringify(entries).includes("hunter2"));
  });
});

test("the first source that knows a repository wins", async () => {
  const source = firstOf([noCredentials, async () => ({ username: "b" }), async () => ({ username: "c" })]);
  equal((await source({ host: "h", path: "p" }))?.username, "b");
});
