import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { inspect } from "node:util";
import { beforeAll, describe, test } from "@jest/globals";
import type { Secret } from "@kyma-operators/errors";
import { type KeyPair, makeKeyPair } from "../../testing/index.ts";
import { clusterFromKubeconfig, serverFromKubeconfig } from "./kubeconfig.ts";

let pair: KeyPair;
let other: KeyPair;
beforeAll(async () => {
  [pair, other] = await Promise.all([makeKeyPair({ name: "good" }), makeKeyPair({ name: "other" })]);
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A good kubeconfig, as an object to spoil. */
function good(): Record<string, unknown> {
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    preferences: {},
    contexts: [{ name: "c", context: { cluster: "k", user: "u", namespace: "ns" } }],
    clusters: [
      {
        name: "k",
        cluster: { server: "https://api.example.com:6443/", "certificate-authority-data": base64(pair.certificate) },
      },
    ],
    users: [{ name: "u", user: { token: "abc.def-1" } }],
  };
}

const withCluster = (fields: object): object => ({
  ...good(),
  clusters: [{ name: "k", cluster: { server: "https://api.example.com", ...fields } }],
});
const withUser = (fields: object): object => ({ ...good(), users: [{ name: "u", user: fields }] });
const withContext = (fields: object): object => ({ ...good(), contexts: [{ name: "c", context: fields }] });

describe("clusterFromKubeconfig", () => {
  test("takes a token and an authority", () => {
    const access = clusterFromKubeconfig(JSON.stringify(good()));
    equal(access.server, "https://api.example.com:6443");
    equal(access.ca, pair.certificate);
    equal(access.namespace, "ns");
    equal((access.token as Secret).reveal(), "abc.def-1");
  });

  test("takes a client certificate, line-wrapped, in YAML", () => {
    const wrapped = base64(pair.key).replace(/(.{64})/g, "$1\n      ");
    const text = `
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}, {name: other, context: {cluster: gone, user: u}}]
clusters:
- name: k
  cluster:
    server: https://10.0.0.1/k8s/clusters/x/
    tls-server-name: kubernetes.default
    insecure-skip-tls-verify: false
users:
- name: u
  user:
    client-certificate-data: ${base64(pair.certificate)}
    client-key-data: |
      ${wrapped}
`;
    const access = clusterFromKubeconfig(text);
    equal(access.server, "https://10.0.0.1/k8s/clusters/x");
    equal(access.serverName, "kubernetes.default");
    equal(access.clientKey?.reveal(), pair.key);
    throws(() => clusterFromKubeconfig(text, "other"), { code: "KUBE_KUBECONFIG", message: /clusters: has no entry/ });
  });

  test("shows no secret when it is printed", () => {
    const access = clusterFromKubeconfig(JSON.stringify(good()));
    equal(inspect(access, { depth: 9 }).includes("abc.def-1"), false);
    equal(JSON.stringify(access).includes("abc.def-1"), false);
  });
});

/** Name, text or object, and what the error must say. Each is one way to make the holder do harm or to confuse it. */
const hostile: readonly (readonly [string, () => string | object, RegExp])[] = [
  ["an empty text", () => "", /document: is empty/],
  ["white space only", () => " \n\t ", /document: is empty/],
  ["a text of a megabyte", () => `a: ${"x".repeat(1_000_000)}`, /longer than/],
  ["broken YAML", () => "a: [", /no single YAML document/],
  ["two documents", () => `${JSON.stringify(good())}\n---\n{}`, /no single YAML document/],
  ["an alias", () => `x: &a {b: c}\ny: *a`, /without aliases/],
  ["nested aliases that grow", () => `a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]`, /without aliases/],
  ["a merge key", () => `x: &a {b: c}\ny:\n  <<: *a`, /without aliases/],
  ["a tag that builds objects", () => "a: !!js/function 'x'", /no single YAML document/],
  ["duplicate keys", () => "kind: Config\nkind: Config", /no single YAML document.*line 2/],
  ["depth of a thousand", () => `${"[".repeat(1000)}${"]".repeat(1000)}`, /no single YAML document/],
  ["a list", () => "[]", /document: must be an object/],
  ["a number", () => "1", /document: must be an object/],
  ["null", () => "null", /document: must be an object/],
  ["another kind", () => ({ ...good(), kind: "Secret" }), /kind: must be Config/],
  ["another version", () => ({ ...good(), apiVersion: "v2" }), /apiVersion: must be v1/],
  ["an unknown field at the top", () => ({ ...good(), include: "/etc/x" }), /unknown field "include"/],
  ["no current context", () => ({ ...good(), "current-context": "" }), /current-context: is missing/],
  ["a current context that is no text", () => ({ ...good(), "current-context": ["c"] }), /must be a text/],
  ["a current context that is not there", () => ({ ...good(), "current-context": "x" }), /contexts: has no entry/],
  ["a prototype as context", () => ({ ...good(), "current-context": "__proto__" }), /contexts: has no entry/],
  ["contexts that are no list", () => ({ ...good(), contexts: {} }), /contexts: must be a list/],
  ["a context that is no object", () => ({ ...good(), contexts: ["c"] }), /contexts\[0\]: must be an object/],
  [
    "a context without body",
    () => ({ ...good(), contexts: [{ name: "c" }] }),
    /contexts\[0\]\.context: must be an object/,
  ],
  ["a context without cluster", () => withContext({ user: "u" }), /context\.cluster: is missing/],
  ["a context without user", () => withContext({ cluster: "k" }), /context\.user: is missing/],
  [
    "two contexts of one name",
    () => ({ ...good(), contexts: [...(good()["contexts"] as object[]), ...(good()["contexts"] as object[])] }),
    /several entries/,
  ],
  [
    "two clusters of one name",
    () => ({ ...good(), clusters: [...(good()["clusters"] as object[]), ...(good()["clusters"] as object[])] }),
    /clusters: has several/,
  ],
  [
    "thousands of users",
    () => ({ ...good(), users: Array.from({ length: 500 }, (_, i) => ({ name: `${i}` })) }),
    /more than 256 entries/,
  ],
  ["a user that is not there", () => withContext({ cluster: "k", user: "x" }), /users: has no entry/],
  ["no server", () => withCluster({ server: undefined }), /server: is missing/],
  ["a server that is no URL", () => withCluster({ server: "not a url" }), /server: is no URL/],
  ["plain http", () => withCluster({ server: "http://api.example.com" }), /must begin with https/],
  ["a file URL", () => withCluster({ server: "file:///etc/passwd" }), /must begin with https/],
  ["a unix socket", () => withCluster({ server: "unix:///var/run/docker.sock" }), /must begin with https/],
  [
    "a password in the server",
    () => withCluster({ server: "https://me:hunter2@api.example.com" }),
    /must not hold a user/,
  ],
  ["a query in the server", () => withCluster({ server: "https://api.example.com/?x=1" }), /neither a query/],
  ["a fragment in the server", () => withCluster({ server: "https://api.example.com/#x" }), /neither a query/],
  ["an encoded slash in the server", () => withCluster({ server: "https://api.example.com/a%2Fb" }), /plain URL/],
  ["white space before the server", () => withCluster({ server: " https://api.example.com" }), /plain URL/],
  ["the metadata service", () => withCluster({ server: "https://169.254.169.254" }), /link-local/],
  ["the metadata service as a number", () => withCluster({ server: "https://2852039166" }), /link-local/],
  [
    "the metadata service in IPv6 clothes",
    () => withCluster({ server: "https://[::ffff:169.254.169.254]" }),
    /link-local/,
  ],
  ["the metadata service behind a NAT64", () => withCluster({ server: "https://[64:ff9b::a9fe:a9fe]" }), /link-local/],
  ["the metadata service by 6to4", () => withCluster({ server: "https://[2002:a9fe:a9fe::]" }), /link-local/],
  ["the metadata service as IPv4 in IPv6", () => withCluster({ server: "https://[::169.254.169.254]" }), /link-local/],
  ["a link-local IPv6 address", () => withCluster({ server: "https://[fe80::1]" }), /link-local/],
  ["a port out of range", () => withCluster({ server: "https://api.example.com:99999" }), /is no URL/],
  ["a host that is no name", () => withCluster({ server: "https://a..b" }), /DNS name/],
  ["a server as an object", () => withCluster({ server: { toString: "x" } }), /must be a text/],
  [
    "an authority file",
    () => withCluster({ "certificate-authority": "/etc/ca.crt" }),
    /certificate-authority: names a file/,
  ],
  [
    "verification switched off",
    () => withCluster({ "insecure-skip-tls-verify": true }),
    /switches off TLS verification/,
  ],
  [
    "verification switched off as a text",
    () => withCluster({ "insecure-skip-tls-verify": "true" }),
    /switches off TLS/,
  ],
  ["a proxy", () => withCluster({ "proxy-url": "http://evil:3128" }), /may not choose a proxy/],
  ["an unknown field of a cluster", () => withCluster({ "exec-proxy": {} }), /unknown field "exec-proxy"/],
  ["an authority that is no base64", () => withCluster({ "certificate-authority-data": "%%%" }), /is no base64/],
  [
    "an authority that is no PEM",
    () => withCluster({ "certificate-authority-data": base64("hello") }),
    /no PEM certificate/,
  ],
  [
    "a broken authority",
    () =>
      withCluster({
        "certificate-authority-data": base64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"),
      }),
    /broken certificate/,
  ],
  [
    "an authority with its key",
    () => withCluster({ "certificate-authority-data": base64(pair.certificate + pair.key) }),
    /holds a private key/,
  ],
  ["a bad server name", () => withCluster({ "tls-server-name": "a\nb" }), /tls-server-name: must hold a DNS name/],
  ["no credentials", () => withUser({}), /neither a token nor a client certificate/],
  ["an exec plugin", () => withUser({ exec: { command: "sh", args: ["-c", "id"] } }), /exec: .*may not run programs/],
  ["an empty exec plugin", () => withUser({ token: "t", exec: {} }), /may not run programs/],
  [
    "a login plugin",
    () => withUser({ "auth-provider": { name: "gcp", config: { "cmd-path": "sh" } } }),
    /login plugins/,
  ],
  [
    "a token file",
    () => withUser({ tokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token" }),
    /tokenFile: names a file/,
  ],
  ["a certificate file", () => withUser({ "client-certificate": "/x", "client-key": "/y" }), /names a file/],
  ["a key file", () => withUser({ token: "t", "client-key": "/y" }), /client-key: names a file/],
  ["a password", () => withUser({ username: "admin", password: "hunter2" }), /basic authentication/],
  ["impersonation", () => withUser({ token: "t", as: "system:admin" }), /may not impersonate/],
  ["impersonation of groups", () => withUser({ token: "t", "as-groups": ["system:masters"] }), /may not impersonate/],
  ["a key that swallowed a token", () => withUser({ 'A"token":"hunter2"': null }), /unknown field of 18 characters/],
  ["an unknown field of a user", () => withUser({ token: "t", plugin: "x" }), /unknown field "plugin"/],
  ["a token that breaks the header", () => withUser({ token: "abc\r\nx-remote-user: admin" }), /no bearer token has/],
  ["a token that is a number", () => withUser({ token: 12345 }), /token: must be a text/],
  ["a token of a megabyte", () => withUser({ token: "x".repeat(100_000) }), /longer than/],
  [
    "a key without certificate",
    () => withUser({ "client-key-data": base64(pair.key) }),
    /client-certificate-data: is missing/,
  ],
  [
    "a certificate without key",
    () => withUser({ "client-certificate-data": base64(pair.certificate) }),
    /client-key-data: is missing/,
  ],
  [
    "a key of another certificate",
    () => withUser({ "client-certificate-data": base64(pair.certificate), "client-key-data": base64(other.key) }),
    /does not belong/,
  ],
  [
    "a key that is no key",
    () => withUser({ "client-certificate-data": base64(pair.certificate), "client-key-data": base64("x") }),
    /no PEM private key/,
  ],
  [
    "an encrypted key",
    () =>
      withUser({
        "client-certificate-data": base64(pair.certificate),
        "client-key-data": base64("-----BEGIN ENCRYPTED PRIVATE KEY-----"),
      }),
    /is encrypted/,
  ],
];

describe("a hostile kubeconfig is refused with its reason", () => {
  for (const [name, make, reason] of hostile) {
    test(name, () => {
      const made = make();
      const text = typeof made === "string" ? made : JSON.stringify(made);
      throws(
        () => clusterFromKubeconfig(text),
        (error: { code?: string; message: string }) => {
          equal(error.code, "KUBE_KUBECONFIG");
          ok(reason.test(error.message), error.message);
          equal(error.message.includes("hunter2"), false);
          return true;
        },
      );
    });
  }

  test("there are at least fifty of them, all different", () => {
    ok(hostile.length >= 50);
    deepEqual(new Set(hostile.map(([name]) => name)).size, hostile.length);
  });
});

describe("serverFromKubeconfig", () => {
  test("gives the server of the current context, whatever the credentials are", () => {
    const spoiled = { ...good(), users: [{ name: "u", user: { exec: { command: "sh" } } }] };
    equal(serverFromKubeconfig(JSON.stringify(spoiled)), "https://api.example.com:6443");
  });

  test("refuses a server that nobody may be sent to", () => {
    const text = JSON.stringify(withCluster({ server: "http://api.example.com" }));
    throws(() => serverFromKubeconfig(text), { code: "KUBE_KUBECONFIG", message: /clusters\[0\]\.cluster\.server/ });
  });
});
