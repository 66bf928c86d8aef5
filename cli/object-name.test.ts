import { equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { kymaName, namespaceName, serverAddress, subdomainName } from "./object-name.ts";

const refused = { code: "commander.invalidArgument", message: /^expected / };

describe("names are checked before a cluster is asked", () => {
  test.each(["a", "kcp-system", "0x", "n".repeat(63)])("%s names a namespace", (text) =>
    equal(namespaceName(text), text),
  );

  test.each(["", "BAD_NS", "-a", "a-", "a.b", "../x", "n".repeat(64)])("%j names none", (text) => {
    throws(() => namespaceName(text), refused);
  });

  test.each(["default", "a.b-1"])("%s names a Kyma", (text) => equal(kymaName(text), text));

  test.each(["", "Demo", "a..b", ".a", "a/b", "k".repeat(64)])("%j names none", (text) => {
    throws(() => kymaName(text), refused);
  });

  test("an API server is reached by https", () => {
    equal(serverAddress("https://127.0.0.1:6443"), "https://127.0.0.1:6443");
    for (const text of ["", "kubernetes.default.svc", "http://a", "https://"])
      throws(() => serverAddress(text), refused);
  });

  test.each(["regcred", "a.example.org", "a".repeat(253)])("%s is a subdomain", (text) =>
    equal(subdomainName(text), text),
  );

  test.each(["", "a b", "Example.org", "*.example.org", "a..b", "a".repeat(254)])("%j is none", (text) => {
    throws(() => subdomainName(text), refused);
  });
});
