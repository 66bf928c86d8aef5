import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, test } from "@jest/globals";
import { parseReference } from "oras-js";
import { parseVerificationPolicy, ruleFor, type VerificationPolicy } from "./policy.ts";
import type { ComponentVersion } from "./pull.ts";
import { signDescriptor } from "./signature.ts";
import { example, exampleDocument, exampleWith } from "./testing.ts";
import type { ComponentDescriptor } from "./types.ts";
import { type KeySource, Verifier } from "./verifier.ts";

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString();
const signed = signDescriptor(exampleWith(), { name: "kyma-module-signature", key: pair.privateKey });

const policy = (text: string): VerificationPolicy =>
  parseVerificationPolicy(text, { source: "policy.yaml", signature: "kyma-module-signature" });
const version = (descriptor: ComponentDescriptor, repository = "reg.io/modules/x"): ComponentVersion => ({
  descriptor,
  repository: parseReference(repository),
  manifestDigest: example.digests.manifest,
  layers: [],
});
const noKeys: KeySource = async () => [];
const someKeys =
  (...keys: readonly string[]): KeySource =>
  async () =>
    keys.map((one, i) => ({ pem: one, source: `Secret kcp-system/key-${i}` }));

const strict = policy("components: [{repository: 'reg.io/modules/**', require: signature}]");
const digestOnly = policy("components: [{repository: 'reg.io/**', require: digest}]");
const used = ["raw-manifest"];

describe("a component", () => {
  test("that is signed and covered passes, and its digests come back", async () => {
    const verifier = new Verifier({ policy: strict, keys: someKeys(pem(pair.publicKey)) });
    deepEqual(
      [...(await verifier.verifyComponent(version(signed), used))],
      [["raw-manifest", example.digests.rawManifest]],
    );
  });

  test("passes with any of several keys", async () => {
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
    await new Verifier({ policy: strict, keys: someKeys(pem(other), pem(pair.publicKey)) }).verifyComponent(
      version(signed),
      used,
    );
  });

  test("outside of every rule, or under a rule that requires nothing, passes", async () => {
    equal(
      (await new Verifier({ policy: strict, keys: noKeys }).verifyComponent(version(exampleWith(), "other.io/x"), used))
        .size,
      0,
    );
    const none = policy("components: [{repository: '**', require: none}]");
    equal((await new Verifier({ policy: none, keys: noKeys }).verifyComponent(version(exampleWith()), used)).size, 0);
  });

  test("needs digests, but no signature, where the policy says digest", async () => {
    const verifier = new Verifier({ policy: digestOnly, keys: noKeys });
    equal((await verifier.verifyComponent(version(exampleWith()), used)).size, 1);
    const [raw] = exampleDocument.component.resources;
    const bare = exampleWith({ resources: [{ ...raw, digest: undefined }] });
    await rejects(verifier.verifyComponent(version(bare), used), /has no digest/);
  });

  const refused = [
    {
      name: "without signature",
      descriptor: exampleWith(),
      keys: someKeys(pem(pair.publicKey)),
      reason: /it is unsigned/,
    },
    { name: "when no key is found", descriptor: signed, keys: noKeys, reason: /no public key was found for it/ },
    {
      name: "when the key is another one",
      descriptor: signed,
      keys: someKeys(pem(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey)),
      reason: /not made with this key/,
    },
    {
      name: "when a key cannot be read",
      descriptor: signed,
      keys: someKeys("nonsense"),
      reason: /key Secret kcp-system\/key-0: expected a public key/,
    },
    {
      name: "whose signed digest was changed",
      descriptor: { ...signed, labels: [] },
      keys: someKeys(pem(pair.publicKey)),
      reason: /the component was changed/,
    },
  ];
  for (const { name, descriptor, keys, reason } of refused) {
    test(`is refused ${name}`, async () =>
      rejects(new Verifier({ policy: strict, keys }).verifyComponent(version(descriptor), used), reason));
  }

  test("is refused when the keys cannot be looked up", async () => {
    const down: KeySource = async () => Promise.reject(new Error("API server is down"));
    await rejects(
      new Verifier({ policy: strict, keys: down }).verifyComponent(version(signed), used),
      /API server is down/,
    );
  });

  test("is refused for a used resource that it does not have", async () => {
    await rejects(
      new Verifier({ policy: digestOnly, keys: noKeys }).verifyComponent(version(signed), ["crds"]),
      /no resource "crds"/,
    );
  });
});

describe("an image", () => {
  const images = policy(
    "images: [{repository: 'reg.io/pinned/*', require: digest}, {repository: 'reg.io/**', require: signature}]",
  );
  const verifier = new Verifier({ policy: images, keys: someKeys(pem(pair.publicKey)) });
  const missing = async (): Promise<never> =>
    Promise.reject(Object.assign(new Error("unexpected call"), { code: "X" }));
  const client = { resolve: missing, pullManifest: missing, pullBlob: missing, listReferrers: missing };

  test("must be pinned where the policy says digest", async () => {
    const pinned = parseReference(`reg.io/pinned/a@${example.digests.manifest}`);
    equal(await verifier.verifyImage(client, pinned), pinned);
    await rejects(
      verifier.verifyImage(client, parseReference("reg.io/pinned/a:1")),
      /asks for a digest in the reference/,
    );
  });

  test("is looked up in its registry where the policy says signature, and nowhere else", async () => {
    await rejects(verifier.verifyImage(client, parseReference("reg.io/a:1")), /unexpected call/);
    equal((await verifier.verifyImage(client, parseReference("other.io/a:1"))).host, "other.io");
  });
});

describe("a policy", () => {
  test("finds the first rule that matches", () => {
    const { components } = policy(`
components:
- {repository: reg.io/modules/exact, require: none}
- {repository: "reg.io/*/beta-*", require: digest}
- {repository: "reg.io/**/x", require: signature}
- {repository: "reg.io/**", require: digest}
`);
    const at = (repository: string): number => components.findIndex((rule) => rule === ruleFor(components, repository));
    deepEqual(
      [
        "reg.io/modules/exact",
        "reg.io/a/beta-1",
        "reg.io/a/b/c/x",
        "reg.io/x",
        "reg.io/other",
        "reg.io.evil.com/a",
        "reg.io",
      ].map(at),
      [0, 1, 2, 2, 3, -1, 3],
    );
  });

  test("names keys by PEM text, by Secret, or by label when it says nothing", () => {
    const { components } = policy(`
components:
- {repository: a, require: signature, signature: mine, keys: [{pem: text}, {secret: {namespace: kcp, name: s}}, {secret: {namespace: kcp, name: s, key: k}}]}
- {repository: b, require: signature}
`);
    deepEqual(components[0]?.keys, [
      { kind: "pem", pem: "text" },
      { kind: "secret", namespace: "kcp", name: "s", key: "key" },
      { kind: "secret", namespace: "kcp", name: "s", key: "k" },
    ]);
    equal(components[0]?.signature, "mine");
    deepEqual(components[1]?.keys, [{ kind: "labelled" }]);
  });

  const refused = [
    {
      name: "an unknown requirement",
      text: "components: [{repository: a, require: signatur}]",
      reason: /policy\.yaml: components\[0\]\.require: expected one of none, digest, signature/,
    },
    {
      name: "a misspelt field",
      text: "components: [{repository: a, require: none, key: []}]",
      reason: /components\[0\]\.key: unknown field/,
    },
    { name: "a misspelt list", text: "component: []", reason: /document\.component: unknown field/ },
    { name: "no repository", text: "images: [{require: none}]", reason: /images\[0\]\.repository: expected a text/ },
    {
      name: "a key that is nowhere",
      text: "components: [{repository: a, require: signature, keys: [{}]}]",
      reason: /keys\[0\]\.secret: expected an object/,
    },
    { name: "a list that is none", text: "components: {}", reason: /components: expected a list/ },
    { name: "an empty document", text: "", reason: /document: expected an object/ },
    { name: "a key given twice", text: "components: []\ncomponents: []", reason: /document:/ },
    { name: "no YAML", text: "a: [", reason: /document:/ },
  ];
  for (const { name, text, reason } of refused)
    test(`is refused for ${name}`, () => throws(() => policy(text), reason));
});
